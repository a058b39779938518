"""The runner: it tells apart what programs can, and finds nothing where nothing is compiled."""

from __future__ import annotations

import functools
from typing import Any

import pytest

import pullback as torch

from .describing import Describer, differences
from .programs import compare, read
from .tables import all_programs

ALIAS = torch.ones(3)


def through(function: Any) -> Any:
    """A compiler that compiles nothing."""
    if isinstance(function, torch.nn.Module):
        return function
    return functools.update_wrapper(lambda *args, **kwargs: function(*args, **kwargs), function)


@pytest.mark.parametrize("program", all_programs()[::10], ids=lambda program: program.name)
def test_nothing_differs_where_nothing_is_compiled(program: Any) -> None:
    assert compare(program, torch, through).differences == []


@pytest.mark.parametrize(
    "a, b",
    [
        (0.0, -0.0), (1, True), (1, 1.0), (float("nan"), 0.0), (float("inf"), float("-inf")), ("1", b"1"),
        ([1], (1,)), ({"a": 1, "b": 2}, {"b": 2, "a": 1}), (torch.zeros(2), -torch.zeros(2)),
        (torch.ones(2), torch.ones(2, dtype=torch.float64)),
        (torch.ones(2), torch.ones(2, requires_grad=True)),
        (torch.ones(2, 3), torch.ones(3, 2).t()), ([ALIAS, ALIAS], [ALIAS, ALIAS.clone()]),
        ([ALIAS, ALIAS], [ALIAS, ALIAS[:]]), ([ALIAS, ALIAS[:2]], [ALIAS, ALIAS[:2].clone()]),
        (torch.ones(1), torch.nn.Parameter(torch.ones(1), requires_grad=False)), (1 + 0j, complex(1, -0.0)),
    ],
)  # fmt: skip
def test_values_are_told_apart(a: Any, b: Any) -> None:
    assert differences(Describer(torch)(a), Describer(torch)(b))
    for value in (a, b):
        assert differences(Describer(torch)(value), Describer(torch)(value)) == []


def test_rounding_is_no_difference() -> None:
    assert differences(Describer(torch)(1.0), Describer(torch)(1.0 + 1e-7)) == []


def test_what_a_compiler_keeps_too_long_is_found() -> None:
    (program,) = read("""
=== scale: compiles
k = 2.0
log = []
def step(x):
    log.append(1)
    return x * k
--- change 3
k = 3.0
--- state
log
""")

    def keeping(function: Any) -> Any:
        first: list[Any] = []

        def call(x: Any) -> Any:
            if not first:
                first.append(function(torch.ones(3)))
            return x * first[0]

        return call

    found = compare(program, torch, keeping).differences
    assert any(text.startswith("call 1: state") for text in found)
    assert any(text.startswith("call 3: result") for text in found)


def test_a_program_that_raises_must_say_so() -> None:
    (program,) = read("\n=== bad:\ndef step(x): return x * missing\n")
    with pytest.raises(ValueError, match="bad: the program itself raises"):
        compare(program, torch, through)


def test_sections_and_flags_are_those_that_there_are() -> None:
    with pytest.raises(ValueError, match="what is the section 'chnge 3'"):
        read("\n=== bad:\ndef step(x): return x\n--- chnge 3\npass\n")
    with pytest.raises(ValueError, match="what are the flags"):
        read("\n=== bad: compile\ndef step(x): return x\n")
