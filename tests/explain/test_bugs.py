"""Mistakes known from forums and issue trackers: the answer names the line that an expert would name.

Each program in `bugs/` makes one mistake, asks one question about it, and marks the line with
``# <-- culprit``. A program that ends without an answer fails.
"""

from __future__ import annotations

import functools
import runpy
import warnings
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = sorted((Path(__file__).parent / "bugs").glob("*.py"))

#: Stands at the end of the line that an expert would name.
MARK = "# <-- culprit"


def answer_of(program: Path) -> tuple[Any, int]:
    """The answer that a program got, and the line that is marked in it."""
    lines = [k for k, text in enumerate(program.read_text().splitlines(), 1) if text.endswith(MARK)]
    assert len(lines) == 1, f"{program.name} marks {len(lines)} lines"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        variables = runpy.run_path(str(program))
    return variables["answer"], lines[0]


def named(answer: Any, program: Path, line: int) -> bool:
    """Whether an answer names a line of a program."""
    place = answer.place
    return place is not None and place.file == str(program) and place.line == line


@functools.cache
def at_the_top(program: Path) -> tuple[Any, bool]:
    """The answer of a program as it is written, and whether it names the marked line."""
    answer, line = answer_of(program)
    return answer, named(answer, program, line)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_no_wrong_line_is_certain(program: Path) -> None:
    answer, right = at_the_top(program)
    assert right or not answer.certain, f"certain of a wrong line:\n{answer}"
    assert answer.mend or not answer.certain


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_the_same_within_a_function(program: Path, tmp_path: Path) -> None:
    """Variables are then locals, and the answer is asked for in the function."""
    body = program.read_text().split('"""', 2)[2].strip().splitlines()
    imports = [text for text in body if text.startswith(("import ", "from "))]
    inside = [f"    {text}" if text else "" for text in body if text not in imports]
    lines = [*imports, "", "def program():", *inside, "    return answer", "", "answer = program()", ""]
    path = tmp_path / program.name
    path.write_text("\n".join(lines))
    answer, line = answer_of(path)
    assert named(answer, path, line) or not answer.certain
    assert named(answer, path, line) == at_the_top(program)[1]


def test_nine_of_ten_lines_are_named() -> None:
    assert len(PROGRAMS) >= 50
    missed = [program.stem for program in PROGRAMS if not at_the_top(program)[1]]
    assert len(missed) <= len(PROGRAMS) // 10, missed
