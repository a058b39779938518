"""The algebra of indices: whatever is simplified, an index stays the number that it was."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pullback.compiler.lower.index import (
    Index,
    Quotient,
    Variable,
    atom_index,
    constant,
    linear,
    reshaped,
    strides_of,
    traced_back,
    unravel,
)

from .reference import Reference

SHAPES = st.lists(st.integers(1, 5), min_size=1, max_size=4).map(tuple)


def number(index: Index, values: dict[str, int]) -> int:
    for atom, _ in index.terms.values():
        # Native code divides numbers without signs.
        assert not isinstance(atom, Quotient) or number(atom.inner, values) >= 0
    return Reference({}, values).position(index)


@st.composite
def expressions(draw: Any) -> tuple[Index, Any, list[Variable]]:
    """An index that is never negative, the same computed by Python, and its variables."""
    variables = [Variable(f"i{n}", draw(st.integers(1, 6))) for n in range(draw(st.integers(1, 3)))]
    index: Index = constant(0)
    steps: list[tuple[str, Any]] = []
    for _ in range(draw(st.integers(1, 7))):
        kind = draw(st.sampled_from(["variable", "constant", "times", "divided", "rest", "turned"]))
        operand: Any = draw(st.integers(1, 12))
        if kind == "variable":
            operand = (draw(st.sampled_from(variables)), operand)
            index = index + atom_index(operand[0]) * operand[1]
        elif kind == "constant":
            index = index + operand
        elif kind == "times":
            index = index * operand
        elif kind == "divided":
            index = index // operand
        elif kind == "rest":
            index = index % operand
        else:
            # As an axis in reverse.
            operand = index.bounds()[1]
            index = index * -1 + operand
        steps.append((kind, operand))

    def computed(values: dict[str, int]) -> int:
        total = 0
        for kind, operand in steps:
            if kind == "variable":
                total += values[operand[0].name] * operand[1]
            elif kind == "constant":
                total += operand
            elif kind == "times":
                total *= operand
            elif kind == "turned":
                total = operand - total
            else:
                total = total // operand if kind == "divided" else total % operand
        return total

    return index, computed, variables


def assignments(variables: list[Variable]) -> Any:
    for point in np.ndindex(*(v.extent for v in variables)):
        yield dict(zip((v.name for v in variables), map(int, point), strict=True))


@settings(max_examples=120, deadline=None)
@given(expressions())
def test_an_index_is_the_number_it_stands_for(case: tuple[Index, Any, list[Variable]]) -> None:
    index, computed, variables = case
    low, high = index.bounds()
    for values in assignments(variables):
        assert number(index, values) == computed(values)
        assert low <= computed(values) <= high


@settings(max_examples=50, deadline=None)
@given(expressions(), expressions())
def test_sums_and_differences(first: Any, second: Any) -> None:
    (a, of_a, variables), (b, of_b, others) = first, second
    known = {v.name: v for v in variables}
    if any(known.get(v.name, v).extent != v.extent for v in others):
        return
    every = [*variables, *(v for v in others if v.name not in known)]
    for values in assignments(every):
        assert number(a + b, values) == of_a(values) + of_b(values)
        assert number(a - b, values) == of_a(values) - of_b(values)
        assert number(a - a, values) == 0


@settings(max_examples=50, deadline=None)
@given(SHAPES)
def test_positions_come_apart_and_together(shape: tuple[int, ...]) -> None:
    position = Variable("p", prod(shape))
    parts = unravel(atom_index(position), shape)
    for p in range(prod(shape)):
        assert tuple(number(i, {"p": p}) for i in parts) == np.unravel_index(p, shape)
        assert number(linear(parts, strides_of(shape)), {"p": p}) == p


@settings(max_examples=50, deadline=None)
@given(SHAPES, st.randoms(use_true_random=False))
def test_indices_of_a_reshaped_array(shape: tuple[int, ...], random: Any) -> None:
    factors = [f for extent in shape for f in _factors(extent)]
    random.shuffle(factors)
    new: list[int] = [1]
    for factor in factors:
        if random.random() < 0.5:
            new.append(factor)
        else:
            new[-1] *= factor
    variables = [Variable(f"i{n}", extent) for n, extent in enumerate(new)]
    indices = reshaped(tuple(atom_index(v) for v in variables), shape, tuple(new))
    array = np.arange(prod(shape)).reshape(shape)
    for point in np.ndindex(*new):
        values = dict(zip((v.name for v in variables), map(int, point), strict=True))
        assert array[tuple(number(i, values) for i in indices)] == array.reshape(new)[point]


@settings(max_examples=80, deadline=None)
@given(SHAPES, st.randoms(use_true_random=False))
def test_indices_of_a_reshaped_array_in_reverse(shape: tuple[int, ...], random: Any) -> None:
    factors = [f for extent in shape for f in _factors(extent)]
    random.shuffle(factors)
    cut = random.randint(0, len(factors))
    new = (prod(factors[:cut]), prod(factors[cut:]))
    shape = (prod(factors[: cut // 2]), prod(factors[cut // 2 :]))
    variables = [Variable(f"i{n}", extent) for n, extent in enumerate(new)]
    turned = tuple(atom_index(v) * -1 + (v.extent - 1) for v in variables)
    indices = reshaped(turned, shape, new)
    array = np.arange(prod(shape)).reshape(shape)
    for point in np.ndindex(*new):
        values = dict(zip((v.name for v in variables), map(int, point), strict=True))
        assert array[tuple(number(i, values) for i in indices)] == np.flip(array.reshape(new))[point]


@settings(max_examples=150, deadline=None)
@given(SHAPES, st.randoms(use_true_random=False))
def test_indices_of_a_view_are_traced_back_to_its_array(shape: tuple[int, ...], random: Any) -> None:
    array = view = np.arange(prod(shape), dtype=np.int8).reshape(shape)
    for _ in range(random.randint(1, 3)):
        kind = random.choice(["permuted", "cut", "stepped", "repeated", "split", "diagonal"])
        extent = view.shape[0] if view.ndim else 1
        if kind == "permuted":
            view = view.transpose(random.sample(range(view.ndim), view.ndim))
        elif kind == "cut" and extent > 1:
            view = view[random.randrange(extent) :]
        elif kind == "stepped" and extent > 1:
            view = view[:: random.randint(1, 3)]
        elif kind == "repeated":
            view = np.broadcast_to(view, (2, *view.shape))
        elif kind == "split" and extent % 2 == 0 and view.flags.c_contiguous:
            view = view.reshape(2, extent // 2, *view.shape[1:])
        elif kind == "diagonal" and view.ndim > 1:
            view = view.diagonal()
    variables = [Variable(f"i{n}", extent) for n, extent in enumerate(view.shape)]
    offset = view.__array_interface__["data"][0] - array.__array_interface__["data"][0]
    back = traced_back(shape, view.shape, view.strides, offset)(tuple(atom_index(v) for v in variables))
    for point in np.ndindex(*view.shape):
        values = dict(zip((v.name for v in variables), map(int, point), strict=True))
        assert array[tuple(number(i, values) for i in back)] == view[point]


def test_a_view_axis_by_axis_of_the_parts_of_a_place_divides_no_more() -> None:
    place = unravel(atom_index(Variable("i", 128)), (2,) * 7)
    steps = strides_of((2,) * 7)
    order = (3, 0, 6, 1, 2, 5, 4)
    back = traced_back((2,) * 7, (2,) * 7, tuple(steps[n] for n in order), 0)(place)
    assert [back[axis] for axis in order] == list(place)


def _factors(n: int) -> list[int]:
    return [p for p in (2, 3, 5) for _ in range(3) if n % p == 0 and (n := n // p) >= 1]
