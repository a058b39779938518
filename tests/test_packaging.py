"""What a user installs: a pure Python wheel with type information whose import brings in no heavy library."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEAVY = {"cupy", "llvmlite", "matplotlib", "mpi4py", "safetensors", "scipy", "sklearn", "torch", "tqdm"}
KINDS = ("*.py", "*.pyi", "*.json", "*.toml", "*.html", "*.css", "*.js")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def python(*arguments: str) -> str:
    """Run Python with pullback on its path to a good end and return what it printed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=environment, cwd=ROOT, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_brings_in_no_heavy_library() -> None:
    code = "import sys, pullback; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = python("-c", code).split()
    assert HEAVY.isdisjoint(loaded)
    assert "pullback" in loaded


def test_import_makes_no_class_of_nodes_that_waits_for_its_op() -> None:
    made = python(
        "-c",
        "import pullback; from pullback.core.op import TABLE; "
        "print(*(op.name for op in TABLE.values() if 'node_class' in vars(op)))",
    )
    assert made.split() == ["select"], "indexing has it at hand"


@pytest.mark.parametrize("before", ["pass", "gc.freeze()", "gc.disable()"])
def test_the_collector_is_left_as_the_program_had_it(before: str) -> None:
    state = "(gc.isenabled(), gc.get_freeze_count() > 0)"
    looks = "import pullback; print(was == now(), gc.get_count()[0] < 700)"
    code = f"import gc; {before}; now = lambda: {state}; was = now(); {looks}"
    assert python("-c", code).split() == ["True", str(before != "gc.disable()")]


def test_import_works_out_what_nodes_save_for_no_op_that_waits() -> None:
    made = python(
        "-c",
        "import pullback; from pullback.core.op import TABLE; "
        "print(*(op.name for op in TABLE.values() if 'layout' in vars(op)))",
    )
    assert len(made.split()) < 30


def test_a_small_program_brings_in_none_either() -> None:
    code = """
import sys, pullback
x = pullback.tensor([1.0, 2.0], requires_grad=True)
(x * x).backward(pullback.tensor([1.0, 10.0]))
print(*{name.split(".")[0] for name in sys.modules})
"""
    assert HEAVY.isdisjoint(python("-c", code).split())


def test_version_is_the_package_s() -> None:
    versions = python("-c", "import pullback; print(pullback.__version__, pullback.version.__version__)")
    told = python("-m", "pullback", "--version").removeprefix("pullback ").strip()
    assert versions.split() == [f"2.13.0+pullback.{told}"] * 2


def test_type_information_is_shipped() -> None:
    assert (ROOT / "src/pullback/py.typed").is_file()
    assert "Typing :: Typed" in PROJECT["classifiers"]


def test_all_is_every_extra() -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    named = everything.removeprefix("pullback[").removesuffix("]").split(",")
    assert sorted(named) == sorted(set(extras) - {"all"})


@pytest.mark.skipif(find_spec("hatchling") is None, reason="hatchling builds the wheel: pip install '.[dev]'")
def test_wheel(tmp_path: Path) -> None:
    python("-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path))
    (wheel,) = tmp_path.iterdir()
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (info,) = {name.split("/")[0] for name in names if not name.startswith("pullback/")}
        metadata = Parser().parsestr(archive.read(f"{info}/METADATA").decode())
        wheel_data = Parser().parsestr(archive.read(f"{info}/WHEEL").decode())

    files = [path for kind in KINDS for path in (ROOT / "src/pullback").rglob(kind)]
    assert {path.relative_to(ROOT / "src").as_posix() for path in files} <= set(names)
    assert "pullback/py.typed" in names
    assert f"{info}/licenses/LICENSE" in names
    assert f"{info}/licenses/src/pullback/explain/page/dagre.LICENSE.txt" in names
    suffixes = {Path(name).suffix for name in names if name.startswith("pullback/")}
    assert suffixes <= {Path(kind).suffix for kind in KINDS} | {".typed", ".txt"}

    assert wheel_data["Root-Is-Purelib"] == "true"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "BSD-3-Clause AND MIT"
    base = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert sorted(line.split(">")[0].replace("_", "-") for line in base) == ["ml-dtypes", "numpy", "scipy"]
