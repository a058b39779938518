"""The example programs run as a user runs them, and print the numbers that they are there to show."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples" / "gradient_argument"

# What stands after each label, spaces squeezed: the product that NumPy computed and the gradient that
# backward() left.
NUMBERS = {
    "broadcast_scalar": [
        ("vᵀ·J:", "[2222.]"),
        ("x.grad:", "tensor(2222.)"),
        ("x.grad:", "tensor(2.)"),
        ("x.grad:", "tensor(22.)"),
        ("x.grad:", "tensor(222.)"),
        ("x.grad:", "tensor(2222.)"),
    ],
    "broadcast_sum": [
        ("vᵀ·J:", "[1111. 1111.]"),
        ("x.grad:", "tensor([1111., 1111.])"),
        ("x.grad:", "tensor([1., 1.])"),
        ("x.grad:", "tensor([11., 11.])"),
        ("x.grad:", "tensor([111., 111.])"),
        ("x.grad:", "tensor([1111., 1111.])"),
    ],
    "copy_slices": [
        ("y:", "tensor([ 3., 17., 20.], grad_fn=<CopySlices>)"),
        ("vᵀ·J:", "[ 26. 1240.]"),
        ("x.grad:", "tensor([ 26., 1240.])"),
    ],
    "element_by_element": [
        ("vᵀ·J:", "[ 2. 4. 6. 8. 10. 12.]"),
        ("a.grad:", "tensor([[ 2., 4., 6.], [ 8., 10., 12.]])"),
    ],
    "elementwise": [("vᵀ·J:", "[ 6. 12.]"), ("x.grad:", "tensor([ 6., 12.])")],
    "elementwise_weighted": [("vᵀ·J:", "[ 6. 120.]"), ("x.grad:", "tensor([ 6., 120.])")],
    "image": [("equal everywhere:", "True"), ("zero where nothing counts:", "True")],
    "matrix_product": [
        ("vᵀ·J:", "[10. 10. 10. 26. 26. 26.]"),
        ("x.grad:", "tensor([[10., 10., 10.], [26., 26., 26.]])"),
    ],
    "missing_gradient": [
        ("RuntimeError:", "grad can be implicitly created only for scalar outputs"),
        ("x.grad:", "None"),
        ("vᵀ·J:", "[4. 6.]"),
        ("x.grad:", "tensor([4., 6.])"),
        ("x.grad of the sum:", "tensor([4., 6.])"),
    ],
    "mse_loss": [("J:", "(10, 40)"), ("vᵀ·J equal:", "True"), ("loss.backward() equal:", "True")],
    "multi_label": [
        ("loss:", "tensor([0.4062, 0.6061, 0.2311, 0.4718],"),
        ("equal to the weighted sum's:", "True"),
        ("equal to vᵀ·J:", "True"),
    ],
    "network": [
        ("J:", "(10, 61706)"),
        ("parameter tensors:", "10"),
        ("largest difference below 1e-5:", "True"),
    ],
    "own_covector": [
        ("vᵀ·J:", "[ 2. 8. 18. 32. 50. 72.]"),
        ("a.grad:", "tensor([[ 2., 8., 18.], [32., 50., 72.]])"),
        ("vᵀ·J:", "[ 2. 4. 6. 8. 10. 12.]"),
        ("a.grad:", "tensor([[ 2., 4., 6.], [ 8., 10., 12.]])"),
    ],
    "scalar": [("vᵀ·J:", "[2.]"), ("x.grad:", "tensor(2.)")],
    "scalar_loss": [("J:", "[[12.]]"), ("vᵀ·J:", "[12.]"), ("x.grad:", "tensor(12.)")],
    "scalar_weighted": [("vᵀ·J:", "[200.]"), ("x.grad:", "tensor(200.)")],
    "sum": [
        ("y:", "tensor(3., grad_fn=<AddBackward0>)"),
        ("vᵀ·J:", "[1. 1.]"),
        ("x.grad:", "tensor([1., 1.])"),
    ],
    "sum_weighted": [("vᵀ·J:", "[100. 100.]"), ("x.grad:", "tensor([100., 100.])")],
    "vector": [
        ("y:", "tensor([ 3., 17., 20.], grad_fn=<StackBackward0>)"),
        ("vᵀ·J:", "[ 26. 1240.]"),
        ("x.grad:", "tensor([ 26., 1240.])"),
    ],
    "weighted_loss": [
        ("vᵀ·J:", "[4. 3.]"),
        ("x.grad:", "tensor([4., 3.])"),
        ("x.grad with weights of 1:", "tensor([4., 6.])"),
    ],
}


def run(*arguments: str | Path) -> str:
    """Run `python -m pullback arguments…` to a good end and return what it printed."""
    variables = {"PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8", "PULLBACK_CACHE": "1"}
    environment = {**os.environ, **variables}
    done = subprocess.run(
        [sys.executable, "-m", "pullback", *map(str, arguments)],
        capture_output=True, encoding="utf-8", env=environment, cwd=ROOT, timeout=280,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def squeezed(text: str) -> str:
    """The text with runs of white space, also line ends inside an array, as one space."""
    return re.sub(r"\s+", " ", text)


#: Runs programs one after another, as `__main__`, and tells what each printed.
RUN_ALL = """
import contextlib, io, json, runpy, sys
printed = []
for file in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(file, run_name="__main__")
    printed.append(out.getvalue())
json.dump(printed, sys.stdout)
"""


def test_numbers() -> None:
    """One process runs them all: to start one takes longer than most of them."""
    files = [FOLDER / f"{name}.py" for name in NUMBERS]
    for (name, numbers), text in zip(NUMBERS.items(), json.loads(run("-c", RUN_ALL, *files)), strict=True):
        text, position = squeezed(text), 0
        for label, number in numbers:
            shown = f"{label} {number}"
            assert shown in text[position:], f"{shown!r} is not, or not in its place, in {name}:\n{text}"
            position = text.index(shown, position) + len(shown)


def test_a_program_by_its_file() -> None:
    assert "x.grad: tensor(2.)" in squeezed(run(FOLDER / "scalar.py"))


def test_every_example_is_tested() -> None:
    assert {file.stem for file in FOLDER.glob("*.py")} == set(NUMBERS)


needs_examples = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("matplotlib", "sklearn", "tqdm")),
    reason="needs the extra `examples`",
)


@needs_examples
def test_digits(tmp_path: Path) -> None:
    """Two of the thirty epochs; the checkpoint of their end gives the same losses, accuracy and picture."""
    picture, checkpoint = tmp_path / "digits.png", tmp_path / "digits.pt"
    command = ("examples/digits.py", "--epochs", "2", "--output", picture, "--checkpoint", checkpoint)
    trained, loaded = run(*command), run(*command)
    accuracy = re.search(r"held-out accuracy (\d+\.\d+)%", trained)
    assert accuracy is not None
    assert float(accuracy.group(1)) > 60
    assert loaded.splitlines() == ["going on after epoch 2", *trained.splitlines()]
    assert picture.read_bytes().startswith(b"\x89PNG")


@needs_examples
def test_a_checkpoint_of_torch(tmp_path: Path) -> None:
    """The accuracy that torch's weights have under torch too, and a file that loads again."""
    text = run("examples/torch_checkpoint.py", "--epochs", "0", "--output", tmp_path / "digits.pt")
    assert "<All keys matched successfully>" in text
    assert "held-out accuracy as loaded 81.67%" in text
    again = run("-c", f"import torch; print(len(torch.load({str(tmp_path / 'digits.pt')!r})))")
    assert again == "10\n"


@needs_examples
def test_gpt() -> None:
    """A few steps of a tiny model: the loss falls from that of guessing, and text comes out."""
    text = run("examples/gpt.py", "--steps", "30", "--width", "16", "--layers", "1", "--write", "20")
    guessing = re.search(r"loss of guessing: (\d\.\d+)", text)
    end = re.search(r"held-out loss at the end (\d\.\d+)", text)
    assert guessing is not None
    assert end is not None
    assert float(end.group(1)) < float(guessing.group(1)) - 0.5


@needs_examples
@pytest.mark.parametrize("processes", [1, 2])
def test_ddp(processes: int) -> None:
    """Two of the ten epochs, in one process and in two that share the batches: about the same losses."""
    if processes > 1 and find_spec("mpi4py") is None:
        pytest.skip("needs mpi4py")
    launcher = ("-m", "pullback.distributed.run", "--nproc-per-node", 2) if processes > 1 else ()
    text = run(*launcher, "examples/ddp.py", "--epochs", "2")
    assert f"{processes} processes, first loss 1.5" in text
    accuracy = re.search(r"held-out accuracy (\d+\.\d+)% of 360", text)
    assert accuracy is not None
    assert float(accuracy.group(1)) > 85
