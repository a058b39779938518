"""Run the code blocks of the seed texts and compare what they print with what the texts say they print.

    python -m tools.run_seeds [--seeds FOLDER] [--keep FOLDER] [--torch]

The texts are web pages saved as plain text, so that

* code is found by its looks, except where a page has fences;
* a loop's body may have lost its indentation, which is put back;
* a page may have lost lines, or a block may need names that an earlier block or only the prose defines:
  RECIPES says for each program which blocks make it up and which lines stand before and after them;
* spaces inside printed arrays are not compared, for pages squeeze them.

With ``--torch`` the programs run under the torch of this Python instead. It refuses a covector that
broadcasts (the programs named "broadcast…"), which these texts give for an older torch and pullback takes as
its extension.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SEEDS = ROOT.parent / "shared" / "seeds"

CODE = re.compile(
    r"""(import\ |from\ [\w.]+\ import\ )   # imports
      | (?!\d)\w[\w.]*(\[[^]]*\])?\ *=(?!=) # assignments, also to an element
      | print\(
      | for\ .*:$
      | \w+\.\w+\(.*\)\s*(\#.*)?$           # calls
      | \#""",
    re.VERBOSE,
)
# A line that says that what follows was printed, or ought to have been.
PRINTED = re.compile(r"(Out:|the output is|yields|Variable containing:)$")


NETWORK = """\
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


net, input, target = Net(), torch.randn(1, 1, 32, 32), torch.randn(1, 10)
"""


@dataclass(frozen=True)
class Recipe:
    """One program: the numbers of its code blocks, lines that the page lacks, and what it must print.

    ``printed`` numbers the pieces that the page shows as printed; ``expected`` stands for what it says in
    prose only.
    """

    name: str
    blocks: tuple[int, ...]
    printed: tuple[int, ...] = ()
    before: str = ""
    after: str = ""
    expected: str = ""
    only_numbers: bool = False


def _section(name: str, first: int, last: int) -> Recipe:
    """A section of the second text: its blocks after the imports, each of which prints one of the pieces."""
    return Recipe(name, (0, *range(first, last + 1)), tuple(range(first - 1, last)))


RECIPES: dict[str, list[Recipe]] = {
    "000": [
        Recipe(
            "mm", (1, 2, 3), (0,), after="out.backward(gradient)\nprint(x.grad)\n", only_numbers=True
        ),
        Recipe(
            "mse loss", (0,), before=NETWORK,
            after="loss.backward()\nprint(tuple(out.shape), len([p.grad for p in net.parameters()]))\n",
            expected="(1, 10) 10",
        ),
        Recipe(
            "no gradient", (), before=NETWORK,
            after="try:\n    net(input).backward()\nexcept RuntimeError as error:\n    print(error)\n",
            expected="grad can be implicitly created only for scalar outputs",
        ),
    ],
    "001": [
        _section("scalar", 1, 3),
        _section("scalar, 100", 4, 5),
        _section("sum", 6, 8),
        _section("sum, 100", 9, 10),
        _section("elementwise", 11, 13),
        _section("elementwise, weighted", 14, 15),
        _section("copy slices", 16, 18),
        _section("broadcast, scalar", 19, 19),
        _section("accumulate, scalar", 20, 22),
        _section("broadcast, sum", 23, 23),
        _section("accumulate, sum", 24, 26),
    ],
    "002": [
        Recipe("square with itself", (0,), (0,)),
        Recipe("element by element", (1,), (1,), before="import torch\n"),
        Recipe(
            "square with ones", (3,), (2,),
            before="import torch\n"
            "a = torch.tensor([[1., 2, 3], [4, 5, 6]], requires_grad=True)\nout = a * a\n",
        ),
    ],
    "003": [
        Recipe("scalar loss", (0,), expected="Gradient of x with scalar loss: 12.0"),
        Recipe(
            "tensor loss", (1,),
            expected="RuntimeError: grad can be implicitly created only for scalar outputs\n"
            "Gradient of x without explicit gradient: x.grad is None.",
        ),
        Recipe("weighted loss", (2,), expected="Gradient of x with explicit gradient: tensor([4., 3.])"),
    ],
}
# Code blocks that are formulas in the midst of prose.
FORMULAS = {"002": {2}}


@dataclass(frozen=True)
class Pieces:
    """The code blocks of a text and what it shows as printed, each in the order of the text."""

    code: list[str]
    printed: list[str]


def _depth(line: str) -> int:
    return sum(line.count(opening) for opening in "([{") - sum(line.count(closing) for closing in ")]}")


def _fenced(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def extract(text: str) -> Pieces:
    """Split a text into code and printed lines; prose is dropped."""
    if fenced := _fenced(text):
        return Pieces(fenced, [])
    code: list[list[str]] = []
    printed: list[list[str]] = []
    state, depth, suite, after_code = "prose", 0, False, False
    for line in text.splitlines():
        if state == "code" and (depth > 0 or (suite and line.startswith(" "))):
            code[-1].append(line)
            depth += _depth(line)
        elif PRINTED.match(line.strip()):
            state, depth = "marked", 0
            printed.append([])
        elif state in ("marked", "printed") and (line.strip() or state == "marked"):
            if line.strip():
                state = "printed"
                printed[-1].append(line)
        elif CODE.match(line):
            if not after_code:
                code.append([])
                suite = False
            state, depth, suite = "code", depth + _depth(line), suite or line.rstrip().endswith(":")
            code[-1].append(line)
        else:
            state, depth = "prose", 0
        after_code = state == "code"
    return Pieces(["\n".join(lines) for lines in code], ["\n".join(lines) for lines in printed])


def indented(code: str) -> str:
    """Put back the indentation of loop bodies: what follows a loop's header in its block is its body."""
    lines: list[str] = []
    lost = False
    for line in code.splitlines():
        lines.append("    " + line if lost else line)
        if line.startswith("for ") and line.rstrip().endswith(":"):
            lost = True
        elif line.startswith((" ", "\t")):
            # This body kept its indentation.
            lost, lines[-1] = False, line
    return "\n".join(lines)


@dataclass(frozen=True)
class Program:
    """A program ready to be saved, and the text that it must print."""

    name: str
    source: str
    expected: str
    only_numbers: bool

    def prints_as_expected(self, printed: str) -> bool:
        if self.only_numbers:
            return _numbers(printed) == _numbers(self.expected)
        return "".join(printed.split()) == "".join(self.expected.split())


def _numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.?\d*(?:e[-+]?\d+)?", text)]


def programs(seeds: Path) -> list[Program]:
    """Put the programs of all seed texts together by RECIPES; every code block must be used."""
    result = []
    for key, recipes in RECIPES.items():
        (file,) = seeds.glob(f"{key}_*.txt")
        pieces = extract(file.read_text(encoding="utf-8"))
        used = {number for recipe in recipes for number in recipe.blocks}
        unused = set(range(len(pieces.code))) - used - FORMULAS.get(key, set())
        if unused:
            raise ValueError(f"{file.name}: no program uses the code blocks {sorted(unused)}")
        for recipe in recipes:
            code = "".join(f"{indented(pieces.code[number])}\n" for number in recipe.blocks)
            expected = recipe.expected or "\n".join(pieces.printed[number] for number in recipe.printed)
            source = recipe.before + code + recipe.after
            result.append(Program(f"{key} {recipe.name}", source, expected, recipe.only_numbers))
    return result


def run(program: Program, folder: Path, runner: list[str]) -> subprocess.CompletedProcess[str]:
    """Save the program and run it as a file."""
    file = folder / (re.sub(r"\W+", "_", program.name) + ".py")
    file.write_text(program.source, encoding="utf-8")
    search = [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(search), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, *runner, str(file)]
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", env=environment, timeout=120, check=False
    )


def main() -> int:
    """Run all programs, print a line for each and what the failed ones printed; status 1 if any failed."""
    parser = argparse.ArgumentParser(description="Run the code blocks of the seed texts.")
    parser.add_argument("--seeds", type=Path, default=SEEDS, help="folder of the texts")
    parser.add_argument("--keep", type=Path, help="folder in which the programs are left")
    parser.add_argument("--torch", action="store_true", help="run under this Python's torch")
    options = parser.parse_args()
    if not options.seeds.is_dir():
        parser.error(f"no folder {options.seeds}; name it with --seeds")
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for program in programs(options.seeds):
            done = run(program, folder, [] if options.torch else ["-m", "pullback"])
            good = done.returncode == 0 and program.prints_as_expected(done.stdout)
            failed += not good
            print(f"{'equal ' if good else 'FAILED'}  {program.name}")
            if not good:
                print(f"--- expected\n{program.expected}\n--- printed\n{done.stdout}{done.stderr[-1500:]}")
    print(f"{failed} failed")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
