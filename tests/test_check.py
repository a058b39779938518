"""`python -m pullback check` reads a program and says which torch names it would miss."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from pullback.command.check import judge, read
from pullback.command.uses import held_under

ROOT = Path(__file__).parents[1]


def statuses(source: str) -> dict[str, str]:
    return {f.name: f.status for f in judge(read(dedent(source), "program.py"))}


def check(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(
        [sys.executable, "-m", "pullback", "check", *arguments], capture_output=True, text=True, cwd=cwd,
        env=environment, timeout=60,
    )  # fmt: skip


def test_names_under_any_alias() -> None:
    found = statuses("""
        import torch as t, torch.nn.functional as F
        from torch import nn, saddmm as make
        from torch.optim.lr_scheduler import StepLR
        Base = nn.Module
        class Net(Base):
            layer = nn.Conv2d
            def forward(self, x):
                return F.relu(x) + F.no_such(x) + t.export.draft_export(x)
    """)
    assert found == {
        "torch": "there", "torch.nn.functional": "there", "torch.nn": "there",
        "torch.saddmm": "missing", "torch.optim.lr_scheduler.StepLR": "there",
        "torch.nn.Module": "there", "torch.nn.Conv2d": "there", "torch.nn.functional.relu": "there",
        "torch.nn.functional.no_such": "missing", "torch.export.draft_export": "missing",
    }  # fmt: skip


def test_pullback_by_its_own_name_is_torch() -> None:
    found = statuses("""
        import pullback
        import pullback as torch, pullback.nn.functional as F
        from pullback import nn, func as functions
        from pullback.utils.data import DataLoader
        nn.Linear(2, 3), nn.no_such, F.relu, torch.saddmm, functions.scan
        pullback.explain.why_none, pullback.nothing
    """)
    assert found == {
        "torch": "there", "torch.nn.functional": "there", "torch.nn": "there", "torch.func": "there",
        "torch.utils.data.DataLoader": "there", "torch.nn.Linear": "there", "torch.nn.no_such": "missing",
        "torch.nn.functional.relu": "there", "torch.saddmm": "missing", "torch.func.scan": "there",
        "torch.explain.why_none": "there", "torch.nothing": "missing",
    }  # fmt: skip


def test_modules_that_calls_import() -> None:
    found = statuses("""
        import importlib, pytest
        torch = pytest.importorskip("torch", reason="for tensors")
        nn = importlib.import_module("pullback.nn")
        other = importlib.import_module(name)
        torch.ones(2), torch.saddmm, nn.ReLU, nn.nothing, other.nothing, __import__("torch.nn").nothing
    """)
    assert found == {
        "torch": "there", "torch.nn": "there", "torch.ones": "there", "torch.saddmm": "missing",
        "torch.nn.ReLU": "there", "torch.nn.nothing": "missing", "torch.nothing": "missing",
    }  # fmt: skip


def test_a_module_that_needs_a_package_which_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    import pullback.utils

    for name in [name for name in sys.modules if name.startswith("pullback.utils.tensorboard")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(vars(pullback.utils), "tensorboard", raising=False)
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    held_under.cache_clear()
    (found,) = judge(read("from torch.utils.tensorboard import SummaryWriter", "program.py"))
    assert (found.status, found.why) == ("missing", "needs the package tensorboard: pip install tensorboard")


def test_what_a_program_calls_by_the_same_name_is_its_own() -> None:
    assert statuses("""
        from torch import nn, export
        def f(nn, items=export):
            export = nn.anything
            for sparse in items:
                sparse.nothing
            return export.of_mine
    """) == {"torch.nn": "there", "torch.export": "there"}


def test_writing_to_an_attribute_hides_nothing() -> None:
    found = statuses("import torch\ntorch.backends.cudnn.benchmark = True\ntorch.no_such")
    assert found["torch.backends.cudnn.benchmark"] == "there"
    assert found["torch.no_such"] == "missing"


def test_methods_that_tensors_lack() -> None:
    found = statuses("import torch\ntorch.ones(2).to_padded_tensor()\n{}.values()\ntorch.ones(2).cuda()")
    assert found == {
        "torch": "there", "torch.ones": "there", "torch.Tensor.to_padded_tensor": "missing",
        "torch.Tensor.cuda": "differs",
    }  # fmt: skip


def test_what_a_program_is_prepared_for() -> None:
    found = statuses("""
        import torch
        try:
            from torch.export import draft_export
        except ImportError:
            draft_export = None
        if hasattr(torch, "quantize_per_tensor"):
            torch.quantize_per_tensor
        getattr(torch, "per_tensor_affine", None)
        getattr(torch, "per_channel_affine")
    """)
    assert found == {
        "torch": "there", "torch.export.draft_export": "guarded", "torch.quantize_per_tensor": "guarded",
        "torch.per_tensor_affine": "guarded", "torch.per_channel_affine": "missing",
    }  # fmt: skip


def test_other_behaviour_and_compiled_packages() -> None:
    program = "import torch, torchvision.ops, triton\ntorch.compile\ntorch.version.cuda\ntorchvision.ops.nms"
    found = judge(read(program, "p.py"))
    assert [(f.name, f.status) for f in found] == [
        ("torch", "there"), ("torch.compile", "differs"), ("torch.version.cuda", "there"),
        ("torchvision.ops", "there"), ("torchvision.ops.nms", "missing"), ("triton", "missing"),
    ]  # fmt: skip
    assert found[1].why == "compiles by pullback's own compiler; other backends run eagerly"


def test_functorch_is_asked_for_as_torch_is() -> None:
    found = judge(read("import functorch\nfrom functorch import vmap, make_fx\nfunctorch.grad", "p.py"))
    assert [(f.name, f.status) for f in found] == [
        ("functorch", "there"), ("functorch.grad", "there"), ("functorch.make_fx", "missing"),
        ("functorch.vmap", "there"),
    ]  # fmt: skip


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text("import torch\n\nx = torch.ones(2)\ny = torch.saddmm(x)\n")
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "net.py").write_text("from torch import nn\n\nnn.Linear(1, 1)\nnn.Linear\n")
    return tmp_path


def test_the_command(program: Path) -> None:
    done = check("--all", "train.py", cwd=program)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == dedent("""\
        missing (1):
          torch.saddmm  [sparse tensors]  line 4

        there (2):
          torch  line 1
          torch.ones  line 3

        1 file, 3 uses of 3 names of torch: 2 there, 0 with other behaviour, 1 missing
    """)
    done = check("train.py", cwd=program)
    assert "\nthere" not in done.stdout
    done = check("model", "--all", cwd=program)
    assert done.returncode == 0
    assert "torch.nn.Linear  line 3, 4" in done.stdout


def test_attributes_of_the_program_s_own_objects_are_no_hits() -> None:
    assert statuses("""
        import argparse
        class Net:
            def __init__(self, args):
                self.q_scale = args.cuda
            def int_repr(self):
                return self.q_scale + args.cuda
            def forward(self, x):
                return self.int_repr() + x.q_zero_point()
    """) == {"torch.Tensor.q_zero_point": "missing"}
    assert statuses("model.cuda()") == {"torch.Tensor.cuda": "differs"}


def test_packages_that_need_torch(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import needy.part\nimport json\nfrom careful import x\n")
    for name, needs in (("needy", "torch>=2.0"), ("careful", 'torch>=2; extra == "torch"')):
        (tmp_path / f"{name}.py").touch()
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        about = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\nRequires-Dist: {needs}\n"
        (folder / "METADATA").write_text(about)
        (folder / "top_level.txt").write_text(f"{name}\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT / "src")])}
    done = subprocess.run(
        [sys.executable, "-m", "pullback", "check", "program.py"], capture_output=True, text=True,
        cwd=tmp_path, env=environment, timeout=60,
    )  # fmt: skip
    assert "packages that need a distribution named torch (1):\n  needy  line 1\n" in done.stdout


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["import torch"]},
        {
            "cell_type": "code",
            "source": ["%matplotlib inline\n", "import torch\n", "files = !ls\n", "torch.saddmm"],
        },
        {"cell_type": "code", "source": "%%bash\nls"},
        {
            "cell_type": "code",
            "source": "%%time\nif True:\n    !pip install x\n    y = torch.ones(2, requires_grad=True)\ny?",
        },
        {"cell_type": "code", "source": "y.sum().backward()\nprint(y.grad)\ndisplay(torch.__name__)"},
    ],
    "nbformat": 4, "nbformat_minor": 5, "metadata": {},
}  # fmt: skip


def test_notebooks_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(json.dumps(NOTEBOOK))
    done = check("a.ipynb", cwd=tmp_path)
    assert done.returncode == 1
    assert "torch.saddmm  [sparse tensors]  a.ipynb cell 2:4\n" in done.stdout
    (tmp_path / "b.ipynb").write_text("{}")
    done = check("b.ipynb", cwd=tmp_path)
    assert done.returncode == 1
    assert "b.ipynb is no notebook" in done.stdout


def test_a_folder_as_json(program: Path) -> None:
    done = check("--json", ".", cwd=program)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["files"] == ["model/net.py", "train.py"]
    assert found["errors"] == []
    (missing,) = (n for n in found["names"] if n["status"] == "missing")
    assert missing == {
        "name": "torch.saddmm", "status": "missing", "why": "sparse tensors",
        "uses": [{"file": "train.py", "line": 4, "guarded": False}],
    }  # fmt: skip


def test_nothing_runs_and_errors_are_told(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("import torch\nraise SystemExit(5)\nif\n")
    done = check("bad.py", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("bad.py:3: not read: invalid syntax\n")
    done = check("absent.py", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no such file or folder: absent.py" in done.stderr


def test_names_that_refuse() -> None:
    found = statuses("""
        import torch.utils.cpp_extension
        torch.utils.cpp_extension.load("a", "a.cpp")
        torch.utils.cpp_extension.CUDA_HOME
        torch.distributed.rpc.init_rpc("a")
        torch.qint8
    """)
    assert [found[f"torch.{name}"] for name in (
        "utils.cpp_extension.load", "utils.cpp_extension.CUDA_HOME", "distributed.rpc.init_rpc", "qint8",
    )] == ["differs", "there", "differs", "differs"]  # fmt: skip
