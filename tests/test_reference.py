"""The examples of the reference: each public name has one, and what they print is what PyTorch prints."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tools.examples import entries, missing

ROOT = Path(__file__).parents[1]

#: The modules whose public names all have an example.
COMPLETE = [
    "torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils", "torch.nn.utils.rnn",
    "torch.optim", "torch.optim.lr_scheduler", "torch.optim.swa_utils", "torch.utils.data", "torch.autograd",
    "torch.autograd.graph", "torch.func", "torch.distributions", "torch.linalg", "torch.fft", "torch.special",
    "torch.signal.windows", "torch.sparse", "torch.nested", "torch.amp",
]  # fmt: skip

#: Examples that print something else than under PyTorch, and why.
DIFFERENT = {
    "torch.set_flush_denormal": "it says whether that was possible, which it is not from Python",
}


def run_all(folder: Path, *runner: str) -> dict[str, str]:
    """Run the examples in a folder; return what each printed."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, *runner, "-m", "tools.examples"],
        capture_output=True, encoding="utf-8", cwd=folder, timeout=280,
        env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", "PULLBACK_CACHE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told: dict[str, str] = json.loads(done.stdout)
    return told


def test_every_public_name_has_an_example() -> None:
    assert missing(COMPLETE) == []


def test_a_name_has_one_page() -> None:
    names = [name for found in entries().values() for entry in found for name in (entry.name, *entry.others)]
    assert sorted(names) == sorted(set(names))


@pytest.mark.skipif(find_spec("llvmlite") is None, reason="some examples compile")
def test_examples_run_and_print_what_torch_prints(tmp_path: Path) -> None:
    told = run_all(tmp_path, "-m", "pullback")
    assert [name for name, printed in told.items() if not printed.strip()] == []
    if find_spec("torch") is not None:
        theirs = run_all(tmp_path)
        assert len(theirs) > 1200
        assert {n for n, printed in theirs.items() if told[n] != printed} == set(DIFFERENT)
