"""Every case of the seed texts prints what torch prints: our own programs, and the texts' code where it is
at hand.

Each program runs as a user runs it, as a file given to `python -m pullback`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tools import run_seeds

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
PROGRAMS = tomllib.loads((FOLDER / "programs.toml").read_text(encoding="utf-8"))["program"]
TEXTS = run_seeds.programs(run_seeds.SEEDS) if run_seeds.SEEDS.is_dir() else []


def python(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, timeout=120)


@pytest.mark.parametrize("program", PROGRAMS, ids=[program["name"] for program in PROGRAMS])
def test_prints_what_torch_prints(program: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(program["source"], encoding="utf-8")
    done = python("-m", "pullback", file)
    assert (done.stdout.strip(), done.stderr) == (program["prints"].strip(), "")


@pytest.mark.parametrize("program", PROGRAMS, ids=[program["name"] for program in PROGRAMS])
def test_torch_prints_it(program: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    # In this process, because a fresh import of torch takes seconds.
    pytest.importorskip("torch")
    code = compile(program["source"], program["name"], "exec")
    if program.get("extension"):
        with pytest.raises(RuntimeError, match="Mismatch in shape"):
            exec(code, {})
    else:
        exec(code, {})
        assert capsys.readouterr().out.strip() == program["prints"].strip()


@pytest.mark.skipif(not TEXTS, reason="the seed texts are not beside the repository")
@pytest.mark.parametrize("program", TEXTS, ids=[program.name for program in TEXTS])
def test_code_of_the_texts(program: run_seeds.Program, tmp_path: Path) -> None:
    done = run_seeds.run(program, tmp_path, ["-m", "pullback"])
    assert done.returncode == 0, done.stderr
    assert program.prints_as_expected(done.stdout), done.stdout


def test_a_loop_gets_its_indentation_back() -> None:
    lost = "x = 1\nfor v in values:\ny(v)\nprint(x)"
    kept = "for i in a:\n  for j in b:\n    f(i, j)\nprint(x)"
    assert run_seeds.indented(lost) == "x = 1\nfor v in values:\n    y(v)\n    print(x)"
    assert run_seeds.indented(kept) == kept


def test_code_and_printed_lines_are_told_from_prose() -> None:
    text = "Words.\nx = f(1,\n2)\nprint(x)\n\nOut:\n\n3\n4\n\nMore words. And x_1 x_2.\ny.g()\nOther words"
    pieces = run_seeds.extract(text)
    assert pieces.code == ["x = f(1,\n2)\nprint(x)", "y.g()"]
    assert pieces.printed == ["3\n4"]
