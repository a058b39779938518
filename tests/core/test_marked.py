"""Arrays that are read with other signs: what kernels, rules and compiled programs see of them.

What torch answers stands in ``tests/tensor/cases/views_with_signs.txt``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.core.marked import Marked, marked, memory_of, resolved
from pullback.core.op import TABLE


def test_bits_that_cancel_leave_the_array() -> None:
    memory = np.array([1 + 2j])
    assert marked(memory, False, False) is memory
    assert type(torch.from_numpy(memory).conj().conj()._value) is np.ndarray


@pytest.mark.parametrize(("conjugated", "negated"), [(True, False), (False, True), (True, True)])
def test_what_is_written_is_what_is_read(conjugated: bool, negated: bool) -> None:
    value = Marked(np.zeros(2, np.complex64), conjugated, negated)
    value[...] = np.array([1 + 2j, 3 - 1j])
    np.testing.assert_array_equal(resolved(value), np.array([1 + 2j, 3 - 1j]))
    assert memory_of(value)[0] != 1 + 2j


def test_ops_with_signs_compute_on_arrays() -> None:
    x = np.array([1 + 2j])
    assert TABLE["_conj"].call(x)[0] == 1 - 2j
    assert TABLE["_neg_view"].call(x)[0] == -1 - 2j


def writes(x: Any) -> Any:
    y = x * 2
    z = y.conj().imag
    z.mul_(3)
    return (y * y).abs().sum(), z


def negates(x: Any) -> Any:
    y = x * 2
    z = torch._neg_view(y)[1:]
    z.mul_(2.5)
    return (y * y).abs().sum(), z


def writes_to_its_input(x: Any) -> Any:
    y = x.detach().conj()
    y.add_(1j)
    return x * 1, y


COMPLEX = [1 + 2j, 3 - 4j]


@pytest.mark.parametrize(
    ("function", "given"),
    [(writes, COMPLEX), (negates, COMPLEX), (negates, [1.0, 2.0]), (writes_to_its_input, COMPLEX)],
)
def test_compiled_functions_take_such_views_inside(function: Callable[..., Any], given: list[Any]) -> None:
    compiled = torch.compile(function)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in (function, compiled, compiled):
            x = torch.tensor(given, requires_grad=True)
            first, part = call(x)
            first.abs().sum().backward()
            found.append((first.tolist(), part.tolist(), x.detach().tolist(), x.grad.tolist()))
    # NumPy's size of a complex64 is rounded once more than that of native code.
    for expected, *others in zip(*found, strict=True):
        for other in others:
            np.testing.assert_allclose(other, expected, rtol=3e-7)


def test_a_compiled_function_that_is_given_one() -> None:
    compiled = torch.compile(lambda x: x * 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = torch.tensor(COMPLEX)
        for given in (x, x.conj(), x, x.conj().imag, x.conj()):
            assert compiled(given).tolist() == (given.resolve_conj().resolve_neg() * 2).tolist()


def test_saved_values_are_those_at_the_time() -> None:
    x = torch.tensor(COMPLEX, requires_grad=True)
    y = (x * 1).conj()
    z = (y * y).sum().abs()
    with torch.no_grad():
        y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()
