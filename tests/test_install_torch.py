"""A distribution named torch: built, installed into an environment of its own, and taken away."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pullback.command import torch_wheel

ROOT = Path(__file__).parents[1]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def environment(tmp_path: Path) -> Run:
    """A fresh environment in which pullback, and what it needs, are found."""
    folder = tmp_path / "environment"
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    import ml_dtypes
    import numpy as np
    import scipy

    # By links, so that a torch beside them is not found.
    (site,) = (folder / "lib").glob("python*/site-packages")
    for package in (np, scipy, ml_dtypes):
        place = Path(str(package.__file__)).parent
        (site / place.name).symlink_to(place)
        libraries = place.parent / f"{place.name}.libs"
        if libraries.exists():
            (site / libraries.name).symlink_to(libraries)
    (site / "pullback.pth").write_text(str(ROOT / "src"))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        variables = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHONPATH", "PULLBACK"))}
        command = [str(folder / "bin" / arguments[0][1:])] if arguments[0][:1] == ":" else [str(python)]
        rest = arguments[1:] if arguments[0][:1] == ":" else arguments
        return subprocess.run(
            [*command, *rest], capture_output=True, text=True, cwd=tmp_path, env=variables, timeout=120
        )

    return run


def listed(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if "__pycache__" not in p.parts}


pytestmark = pytest.mark.skipif(os.name != "posix", reason="the environment is made of links")


def test_torch_comes_and_goes(environment: Run, tmp_path: Path) -> None:
    before = listed(tmp_path)
    assert environment("-c", "import torch").returncode == 1
    done = environment("-m", "pullback", "install-torch")
    assert done.returncode == 0, done.stderr
    code = (
        "import torch.nn.functional as F, torch, importlib.metadata as m, pullback, functorch\n"
        "assert torch is pullback and F is pullback.nn.functional\n"
        "print(torch.__version__ == m.version('torch'), torch.ones(2))"
    )
    done = environment("-c", code)
    assert done.stdout == "True tensor([1., 1.])\n", done.stderr
    done = environment("-c", "import importlib.metadata as m; print(m.requires('torch'))")
    assert done.stdout.startswith("['pullback==")
    assert environment("-c", "import functorch").returncode == 0
    again = environment("-m", "pullback", "install-torch")
    assert again.returncode == 1
    assert "is there already: it is pullback" in again.stderr
    done = environment("-m", "pullback", "uninstall-torch")
    assert done.returncode == 0, done.stderr
    assert listed(tmp_path) == before
    assert environment("-m", "pullback", "uninstall-torch").returncode == 1


def test_another_torch_is_not_touched(environment: Run, tmp_path: Path) -> None:
    (site,) = (tmp_path / "environment" / "lib").glob("python*/site-packages")
    (site / "torch").mkdir()
    (site / "torch" / "__init__.py").touch()
    done = environment("-m", "pullback", "install-torch")
    assert "belongs to no distribution" in done.stderr
    about = site / "torch-2.9.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.9.0\n")
    before = listed(tmp_path)
    cases = {"install-torch": "torch 2.9.0 is installed", "uninstall-torch": "is not pullback's"}
    for command, text in cases.items():
        done = environment("-m", "pullback", command)
        assert done.returncode == 1
        assert text in done.stderr
    assert listed(tmp_path) == before


def test_what_cannot_be_written_is_undone(environment: Run, tmp_path: Path) -> None:
    (site,) = (tmp_path / "environment" / "lib").glob("python*/site-packages")
    (site / "functorch.py").touch()
    before = listed(tmp_path)
    done = environment("-m", "pullback", "install-torch")
    assert done.returncode == 1
    assert "cannot be written" in done.stderr
    assert listed(tmp_path) == before


def test_the_wheel(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "packaging/torch/build.py"), str(tmp_path)], capture_output=True,
        text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, timeout=60, check=True,
    )  # fmt: skip
    path = Path(done.stdout.strip())
    assert path.name == torch_wheel.WHEEL
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        recorded = archive.read(f"{torch_wheel.FOLDER}/RECORD").decode()
    assert [line.split(",")[0] for line in recorded.splitlines()] == names
    assert names[0] == "torch.py"


def test_the_wheel_is_installed_by_pip(tmp_path: Path) -> None:
    pytest.importorskip("pip")
    (tmp_path / torch_wheel.WHEEL).write_bytes(torch_wheel.wheel())
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--quiet", "--target",
         str(tmp_path / "site"), str(tmp_path / torch_wheel.WHEEL)],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "torch.py").exists()
