"""What attacks have found, each in a small case."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import pullback as torch
from tests.security.attacks import program


def test_views_of_views_share_their_steps() -> None:
    x = torch.zeros(4, requires_grad=True) * 1
    above = x.view(2, 2)
    below = above.view(4)
    assert below._view.chain[0] is above._view.chain
    assert [step[1] for step in below._view.steps] == [above._view.steps[0][1], below._view.steps[-1][1]]
    assert above[0]._view.chain[0] is above._view.chain


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ((4, (3,), (-1,)), "Storage size calculation overflowed with sizes=[3] and strides=[-1]"),
        ((-4, (3,), (1,)), "Tensor: invalid storage offset -4"),
        ((0, (-3,), (1,)), "numel: integer multiplication overflow"),
        ((0, (3, 3), (1,)), "unequal size length (2) and stride length (1)"),
        ((0, (2**40,), (2**40,)), "Storage size calculation overflowed"),
    ],
)
def test_places_that_no_storage_has(place: Any, message: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        torch.zeros(5).set_(torch.arange(5.0).untyped_storage(), *place)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "step",
    [
        lambda x: torch.func.vmap(torch.func.grad(lambda v: (v.sin() * v).sum()))(x),
        lambda x: torch.func.functional_call(torch.nn.Linear(3, 3), {}, x),
        lambda x: torch.linalg.multi_dot([x, x, x]),
        lambda x: torch.nn.Linear(3, 3).load_state_dict(torch.nn.Linear(3, 3).state_dict()),
    ],
)
def test_nothing_waits_for_the_collector(step: Any) -> None:
    x = torch.randn(3, 3)
    step(x)
    gc.collect()
    gc.disable()
    try:
        step(x)
        assert gc.collect() == 0
    finally:
        gc.enable()


TWICE = """
import sys
import pullback as first
x = first.ones(2)
for name in [name for name in sys.modules if name.split(".")[0] == "pullback"]:
    del sys.modules[name]
import pullback as second
for function in (second.sin, lambda x: second.ones(2) + x, lambda x: second.cat([x, second.ones(2)])):
    try:
        function(x)
    except RuntimeError as error:
        assert "another copy of pullback" in str(error) and "loaded twice, both from" in str(error), error
    else:
        raise SystemExit("nothing was raised")
"""


def test_tensors_of_two_copies_of_the_package() -> None:
    program("-c", TWICE)


def test_real_values_beside_complex_ones() -> None:
    pytest.importorskip("llvmlite")
    a, b = torch.randn(3), torch.randn(3, dtype=torch.complex64)
    for join in (torch.cat, torch.stack):
        compiled = torch.compile(lambda a, b, join=join: join([a, b]), backend="native")
        assert np.array_equal(compiled(a, b).numpy(), join([a, b]).numpy())


NARROW = """
import os
from tools.attack import guards
from tests.compiler.op_table import ROWS, differences
memory = guards.Memory(at_end=True)
guards.guard_arenas(memory)
held = guards.install(memory)
row = next(row for row in ROWS if row.op == "conv_tbc")
found = differences(row, "float32")
os._exit(1 if found else 0)
"""


def test_a_convolution_of_images_that_are_smaller_than_a_vector() -> None:
    pytest.importorskip("llvmlite")
    program("-W", "ignore", "-c", NARROW, PULLBACK_CACHE="0")
