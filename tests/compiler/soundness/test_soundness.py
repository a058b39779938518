"""Programs whose state changes: compiled, they do what they do in eager, and plain ones run compiled."""

from __future__ import annotations

from typing import Any

import pytest

import pullback

pytest.importorskip("llvmlite")

from .programs import compare  # needs llvmlite
from .tables import all_programs  # needs llvmlite

PROGRAMS = all_programs()
#: What a compiled function does otherwise, and why.
KNOWN = {
    "tensor_freed_with_its_holder": "a program keeps what it has read, as docs/compile.md says",
    "warnings_become_errors": "where warnings are errors, so is the one that says why it runs eagerly",
}


def _marked(program: Any) -> Any:
    known = KNOWN.get(program.name)
    marks = () if known is None else (pytest.mark.xfail(reason=known, strict=True),)
    return pytest.param(program, id=program.name, marks=marks)


@pytest.mark.parametrize("program", [_marked(program) for program in PROGRAMS])
def test_a_compiled_function_is_the_function(program: Any) -> None:
    verdict = compare(program, pullback, pullback.compile)
    assert not verdict.complaints, "\n".join([*verdict.complaints, program.source])


def test_there_are_enough_programs() -> None:
    assert len(PROGRAMS) >= 1300
    assert sum(program.compiles for program in PROGRAMS) >= 700
