"""Results of compiled functions lie in memory as those of eager do, whatever order their operands lie in."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as torch

from ..differential.layouts import operands, seeds

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")

#: Every so many cases are compiled.
EVERY = 6


def described(value):
    parts = value if isinstance(value, (tuple, list)) else (value,)
    return [
        [stride for stride, size in zip(part.stride(), part.shape, strict=True) if size > 1]
        for part in parts
        if part.numel()
    ]


def compared(expression, shape, way):
    """What differs between eager and compiled."""
    given = operands(expression, shape, way, torch)
    call = eval(f"lambda {', '.join(given)}: {expression}", {"torch": torch, "F": torch.nn.functional})
    torch.manual_seed(0)
    try:
        expected = call(**given)
    except (RuntimeError, IndexError):  # a case that is not for operands of this shape
        return None, None
    torch.manual_seed(0)
    found = torch.compile(call, backend="native")(**given)
    for a, b in zip(*((v if isinstance(v, (tuple, list)) else (v,)) for v in (expected, found)), strict=True):
        np.testing.assert_allclose(b.numpy(), a.numpy(), 1e-4, 1e-4, err_msg=expression)
    return described(expected), described(found)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_results_lie_as_in_eager():
    cases = [case for case in seeds(1) if "out=" not in case[0] and "reduction=" not in case[0]]
    for expression, shape, way in cases[::EVERY]:
        expected, found = compared(expression, shape, way)
        assert found == expected, f"{expression} of {shape}, way {way}"


def test_ravel_of_what_has_gaps_is_a_copy():
    x = torch.zeros(2, 4, 6)[..., ::2]
    flat = torch.compile(lambda x: x.ravel(), backend="native")(x)
    assert flat.stride() == x.ravel().stride() == (1,)
    assert flat.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()


def test_a_large_result_of_other_sizes_lies_as_in_eager():
    x = torch.ones(3, 5, 50, 60).contiguous(memory_format=torch.channels_last)
    assert torch.compile(lambda x: x.repeat(2, 1, 1, 1), backend="native")(x).stride() == (15000, 3000, 60, 1)
    assert torch.compile(lambda x: x.flip(1), backend="native")(x).stride() == x.flip(1).stride()
