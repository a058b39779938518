"""Notebooks: run and explained by the command, in a kernel, and by the extension."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from pullback.command.notebooks import as_python
from tests.test_check import NOTEBOOK

ROOT = Path(__file__).parents[1]


def run(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **variables}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=cwd, env=environment, timeout=120
    )


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("x = 1 % 2\n", "x = 1 % 2\n"),
        ("a = '''\n!not a command\n'''", "a = '''\n!not a command\n'''\n"),
        ("%load_ext x\nf(1)", "pass  # %load_ext x\nf(1)\n"),
        ("if x:\n    !ls -l\nx?", "if x:\n    pass  # !ls -l\npass  # x?\n"),
        ("%%html\n<b>", ""),
        ("%%time\nx = 1", "\nx = 1\n"),
        ("a, b = !ls", "pass  # a, b = !ls\n"),
    ],
)
def test_cells_as_python(cell: str, python: str) -> None:
    assert as_python(cell) == python


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    cells = json.loads(json.dumps(NOTEBOOK))
    cells["cells"][1]["source"] = ["%matplotlib inline\n", "import torch\n"]
    (tmp_path / "a.ipynb").write_text(json.dumps(cells))
    return tmp_path


def test_a_notebook_runs(notebook: Path) -> None:
    done = run("-m", "pullback", "a.ipynb", cwd=notebook)
    assert done.stderr == ""
    assert done.stdout == "tensor([1., 1.])\ntorch\n"


def test_a_notebook_is_explained(notebook: Path) -> None:
    done = run("-m", "pullback", "explain", "a.ipynb", cwd=notebook)
    assert done.returncode == 0
    assert "y.sum().backward()" in done.stdout


def test_install_and_its_inheritance(tmp_path: Path) -> None:
    code = """
        import pullback, subprocess, sys
        pullback.install()
        import torch
        assert torch is pullback
        print(subprocess.run([sys.executable, "-c", "import functorch, torch; print(torch.__version__)"],
                             capture_output=True, text=True).stdout)
    """
    (tmp_path / "program.py").write_text("\n".join(line[8:] for line in code.splitlines()))
    done = run("program.py", cwd=tmp_path, PULLBACK_AS_TORCH="1")
    assert done.stderr == ""
    assert "+pullback" in done.stdout


def test_the_extension() -> None:
    import pullback

    assert callable(pullback.load_ipython_extension)


def test_the_kernel_is_installed_and_removed(tmp_path: Path) -> None:
    def jupyter(action: str) -> subprocess.CompletedProcess[str]:
        arguments = ("-m", "pullback", "jupyter", action, "--user")
        return run(*arguments, cwd=tmp_path, JUPYTER_DATA_DIR=str(tmp_path))

    done = jupyter("install")
    assert done.returncode == 0, done.stderr
    about = json.loads((tmp_path / "kernels" / "pullback" / "kernel.json").read_text())
    assert about["argv"][1:5] == ["-m", "pullback", "-m", "ipykernel_launcher"]
    assert jupyter("uninstall").returncode == 0
    assert not (tmp_path / "kernels" / "pullback").exists()
    assert jupyter("uninstall").returncode == 1


@pytest.mark.skipif(
    find_spec("nbclient") is None or find_spec("ipykernel") is None, reason="needs a Jupyter kernel"
)
def test_a_notebook_in_the_kernel(tmp_path: Path) -> None:
    code = """
import json, sys
import nbformat
from nbclient import NotebookClient

book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import torch\\nprint(torch.__version__)")])
NotebookClient(book, kernel_name="pullback", timeout=60).execute()
print(book.cells[0].outputs[0].text)
"""
    variables = {"JUPYTER_DATA_DIR": str(tmp_path), "JUPYTER_PATH": str(tmp_path)}
    assert run("-m", "pullback", "jupyter", "install", "--user", cwd=tmp_path, **variables).returncode == 0
    done = run("-c", code, cwd=tmp_path, **variables)
    assert "+pullback" in done.stdout, done.stderr


def test_hints_and_exit_statuses(tmp_path: Path) -> None:
    done = run("-m", "pullback", "chekc", "x.py", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith("Did you mean: 'check'?")
    done = run("-m", "pullback", "explain", cwd=tmp_path)
    assert done.returncode == 2
    assert "no program given" in done.stderr
