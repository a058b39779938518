"""A `detach` whose result is thrown away is named where its history is used up; one that is kept is not."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from pullback import explain

CARRIED = """
import pullback as torch
from pullback import nn
{definitions}
net = nn.GRUCell(3, 4)
kept = [torch.zeros(2, 4)]
losses = []
for _ in range(3):
    kept = [net(torch.randn(2, 3), kept[0])]
    loss = kept[0].square().mean()
    losses.append(loss)
    {loss}.backward()
    {cut}
"""

HELPER = """
def release(parts):
    for part in parts:
        part.detach()  # <-- culprit
"""

IN_A_MODULE = """
import pullback as torch
from pullback import nn

class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 5)
        self.memory = None

    def cut(self):
        self.memory.detach()  # <-- culprit

    def forward(self, x):
        self.memory = self.cell(x, self.memory)
        return self.memory

net = Reader()
for _ in range(3):
    net(torch.randn(2, 3)).sum().backward()
    net.cut()
"""

IN_PLACE = """
class Cutter:
    def detach(self, parts):
        for part in parts:
            part.detach_()

cutter = Cutter()
"""


def judged(text: str, folder: Path, recorded: bool) -> explain.Answer:
    """Return what is said of the error of a program, with its calls recorded or not."""
    program = folder / "program.py"
    program.write_text(text)
    with pytest.raises(RuntimeError, match="second time") as caught:
        if recorded:
            with explain.record():
                runpy.run_path(str(program))
        else:
            runpy.run_path(str(program))
    return explain.why_error(caught.value)


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize(
    "text",
    [CARRIED.format(definitions=HELPER, loss="loss", cut="release(kept)"),
     CARRIED.format(definitions="", loss="loss", cut="h = kept[0]; h.detach()  # <-- culprit"),
     IN_A_MODULE],
    ids=["helper", "loop", "module"],
)  # fmt: skip
def test_the_line_that_throws_the_result_away_is_named(text: str, recorded: bool, tmp_path: Path) -> None:
    (line,) = [k for k, one in enumerate(text.splitlines(), 1) if one.endswith("# <-- culprit")]
    answer = judged(text, tmp_path, recorded)
    assert "thrown away" in answer.cause
    assert any(f"program.py:{line}" in seen and "not kept" in seen for seen in answer.evidence)


@pytest.mark.parametrize("recorded", [True, False])
def test_a_history_that_is_cut_is_not_named(recorded: bool, tmp_path: Path) -> None:
    text = CARRIED.format(definitions=IN_PLACE, loss="sum(losses)", cut="cutter.detach(kept)")
    assert "thrown away" not in judged(text, tmp_path, recorded).cause
