"""Written calls: their code is kept as Python keeps that of files, and tracebacks find their lines."""

import linecache
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pullback as torch
from pullback.core import call_source, calls

_PROGRAM = """
import builtins
import pullback as torch

compiled = []
compile = builtins.compile

def compiles(source, name, *rest, **named):
    compiled.append(str(name))
    return compile(source, name, *rest, **named)

builtins.compile = compiles
x = torch.tensor([1.0, 2.0], requires_grad=True)
(x.tanh() * x).sum().backward()
(x.exp() / x + x[0]).sum().backward()
print(x.grad.tolist())
print(sum("call_" in name for name in compiled))
"""


def _run(folder: Path, *options: str) -> list[str]:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(folder)
    command = [sys.executable, *options, "-c", _PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split("\n")


def _kept(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("call_*.pyc") if not path.name.startswith("call_source")]


def test_second_process_compiles_none(tmp_path: Path) -> None:
    first, second = _run(tmp_path), _run(tmp_path)
    assert int(first[1]) >= 5
    assert second == [first[0], "0", ""]
    assert {path.stat().st_mode & 0o022 for path in _kept(tmp_path)} == {0}


def test_nothing_is_kept_where_python_keeps_nothing(tmp_path: Path) -> None:
    assert int(_run(tmp_path, "-B")[1]) >= 5
    assert not _kept(tmp_path)


def test_code_of_another_template_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.ones(2).tanh()
    facts = next(iter(calls._codes))
    template = tmp_path / "template.py"
    template.write_text("")
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(call_source, "__file__", str(template))
    written: list[call_source.Facts] = []
    source_of = call_source.source_of

    def noted(facts: call_source.Facts) -> str:
        written.append(facts)
        return source_of(facts)

    monkeypatch.setattr(call_source, "source_of", noted)
    for _ in range(2):
        call_source.Loader(facts).get_code("call")
        assert len(written) == 1
    about = template.stat()
    os.utime(template, ns=(about.st_atime_ns, about.st_mtime_ns + 1000))
    call_source.Loader(facts).get_code("call")
    assert len(written) == 2


def test_traceback_shows_a_written_line() -> None:
    torch.ones(2).tanh()
    code = next(iter(calls._codes.values()))
    assert linecache.getline(code.co_filename, code.co_firstlineno).startswith("def call(")
