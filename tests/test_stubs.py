"""Editors and type checkers see what the declarations make at import."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PROGRAM = """\
import pullback as torch
import pullback.nn.functional as F
from pullback import nn

x = torch.zeros(3, requires_grad=True)
y: torch.Tensor = x.sin().sum()
z: torch.Tensor = (2 * x - x**2 / 3) @ torch.randn(3).add_(1).clamp_(min=0)
kind: torch.dtype = x.to(torch.float64).dtype
size: torch.Size = x.reshape(-1, 1).shape
answer: bool = x.is_floating_point()
p: torch.Tensor = nn.Parameter(torch.ones(2, 2))
inverse: torch.Tensor = torch.linalg.inv(p)
loss: torch.Tensor = F.mse_loss(nn.Linear(3, 1)(x), torch.ones(1))
loss.backward()
with torch.no_grad():
    x[x > 0] = 1
for row in torch.eye(3):
    total: torch.Tensor = row + 1
"""

WRONG = """\
x.sine()
torch.zeroes(3)
torch.zeros("3")
text: str = x.sum()
F.mse_los(x, x)
"""


def run(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run Python with pullback on its path and on mypy's."""
    source = str(ROOT / "src")
    environment = {**os.environ, "PYTHONPATH": source, "MYPYPATH": source}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=environment, cwd=cwd, timeout=280
    )


def test_stubs_are_what_the_declarations_give() -> None:
    done = run("-m", "tools.make_stubs", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy reads the stubs: pip install '.[dev]'")
def test_a_user_s_program_has_types(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM + WRONG, encoding="utf-8")
    cache = str(tmp_path / "cache")
    done = run("-m", "mypy", "--follow-imports=silent", "--cache-dir", cache, "program.py", cwd=tmp_path)
    first = len(PROGRAM.splitlines()) + 1
    lines = [line.split(":")[1] for line in done.stdout.splitlines() if ": error: " in line]
    assert lines == [str(first + k) for k in range(len(WRONG.splitlines()))], done.stdout + done.stderr
