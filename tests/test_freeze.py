"""pullback.freeze: a model as one file of native code, loaded without LLVM."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback import nn
from pullback.array import tensor_file
from pullback.torch_names import frozen as module
from pullback.torch_names.structure import named_tensors
from tests.onnx import functions, sequences, vision
from tests.onnx.cases import CASES

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="object code is put together for ELF"
)
assert functions and sequences and vision

#: What a process runs that has no llvmlite.
LOADING = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "llvmlite":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Blocked())
import numpy as np
import pullback as torch

program = torch.load_frozen(sys.argv[1])
# What takes most of the time of a load is what it imports. Recurrent layers run as array kernels.
heavy = {"scipy", "subprocess", "pullback.nn", "pullback.compiler.runtime.engine"}
assert sys.argv[4] == "LSTMTagger" or not heavy & {*sys.modules}
inputs = [torch.from_numpy(a) for a in np.load(sys.argv[2]).values()]
outputs = program(*inputs)
np.savez(sys.argv[3], *[t.numpy() for t in (outputs if isinstance(outputs, tuple) else [outputs])])
assert not any(name.partition(".")[0] == "llvmlite" for name in sys.modules)
assert "pullback.compiler.frontend.capture" not in sys.modules
"""


def frozen(name: str) -> tuple[Any, tuple[Any, ...], Any]:
    torch.manual_seed(0)
    model, inputs = CASES[name].build().eval(), CASES[name].inputs()
    return model, inputs, torch.freeze(model, inputs)


@pytest.mark.parametrize("name", sorted(CASES))
def test_models(name: str) -> None:
    model, inputs, program = frozen(name)
    memory = io.BytesIO()
    program.save(memory)
    again = module.FrozenProgram(memory.getvalue())
    with torch.no_grad():
        wanted = [t for _, t in named_tensors([model(*inputs)], "")]
    for _ in range(2):
        found = [t for _, t in named_tensors([again(*inputs)], "")]
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("name", ["ResNet", "GPT2", "LSTMTagger"])
def test_a_process_without_llvm(name: str, tmp_path: Path) -> None:
    model, inputs, program = frozen(name)
    program.save(tmp_path / "model.frozen")
    np.savez(tmp_path / "inputs.npz", *[t.numpy() for t in inputs])
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "src")}
    files = [str(tmp_path / n) for n in ("model.frozen", "inputs.npz", "outputs.npz")]
    subprocess.run([sys.executable, "-c", LOADING, *files, name], check=True, env=environment, timeout=120)
    with torch.no_grad():
        wanted = [t for _, t in named_tensors([model(*inputs)], "")]
    for a, b in zip(np.load(files[2]).values(), wanted, strict=True):
        np.testing.assert_allclose(a, b.numpy(), rtol=1e-4, atol=2e-5)


def test_the_file_is_safetensors() -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    model, _, program = frozen("ResNet")
    memory = io.BytesIO()
    program.save(memory)
    arrays = safetensors.load(memory.getvalue())
    for name, t in model.state_dict().items():
        assert np.array_equal(arrays[f"state.{name}"], t.numpy())
        assert torch.equal(program.state_dict[name], t)


def test_other_shapes_are_refused() -> None:
    _, _, program = frozen("ResNet")
    with pytest.raises(TypeError, match=r"x is float32\[1,3,32,32\], and was float32\[2,3,32,32\]"):
        program(torch.randn(1, 3, 32, 32))
    with pytest.raises(TypeError, match="takes 1 tensors, not 2"):
        program(torch.randn(1), torch.randn(1))


def test_an_index_out_of_range() -> None:
    program = torch.freeze(nn.Embedding(4, 3), torch.tensor([1, 2]))
    assert program(torch.tensor([0, 3])).shape == (2, 3)
    with pytest.raises(IndexError):
        program(torch.tensor([0, 4]))


def with_plan(data: bytes, change: Any) -> bytes:
    arrays, about = tensor_file.unpacked(data)
    plan = json.loads(about["plan"])
    change(plan)
    return tensor_file.packed(arrays, {**about, "plan": json.dumps(plan)})


def test_what_makes_native_code_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="freeze needs llvmlite") as caught:
        torch.freeze(nn.Linear(2, 2), torch.ones(1, 2))
    assert "pip install 'pullback[compile]'" in caught.value.__notes__[0]


def test_another_machine_is_named(tmp_path: Path) -> None:
    memory = io.BytesIO()
    torch.freeze(nn.Linear(2, 2), torch.ones(1, 2), f=memory)
    other = with_plan(memory.getvalue(), lambda plan: plan["machine"].update(machine="riscv64"))
    with pytest.raises(RuntimeError, match="was frozen for riscv64, and this is x86_64"):
        torch.load_frozen(io.BytesIO(other))
    other = with_plan(memory.getvalue(), lambda plan: plan["machine"]["instructions"].append("avx9"))
    with pytest.raises(RuntimeError, match="for a processor with avx9"):
        torch.load_frozen(io.BytesIO(other))
    path = tmp_path / "other"
    path.write_bytes(b"something else, which is no program at all")
    with pytest.raises(RuntimeError, match=r"is no program that pullback\.freeze has written"):
        torch.load_frozen(path)


def test_what_cannot_be_frozen() -> None:
    with pytest.raises(RuntimeError, match="writes to its buffers running_mean"):
        torch.freeze(nn.BatchNorm1d(3), torch.randn(4, 3))
    with pytest.raises(RuntimeError, match="draws random numbers"):
        torch.freeze(nn.Dropout(), torch.randn(4, 3))
    with pytest.raises(RuntimeError, match="the numbers of a traced tensor decide"):
        torch.freeze(lambda x: x if x.sum() > 0 else -x, torch.randn(4, 3))
    generator = torch.Generator()
    with pytest.raises(RuntimeError, match="draws from a generator of its own"):
        torch.freeze(lambda x: x * torch.rand(3, generator=generator), torch.randn(3))
    x = torch.randn(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaves a gradient on x"):
        torch.freeze(lambda x: (x * x).sum().backward(), x)
    counts = {"calls": 0}

    def counting(x: Any) -> Any:
        counts["calls"] += 1
        return x * 2

    with pytest.raises(RuntimeError, match="changes objects of Python's: setitem 'calls'"):
        torch.freeze(counting, torch.randn(3))
    assert counts == {"calls": 0}


def test_arguments_that_are_no_tensors_are_part_of_the_program() -> None:
    program = torch.freeze(lambda x, power: x**power, (torch.ones(3), 2))
    assert torch.equal(program(torch.full((3,), 3.0), 2), torch.full((3,), 9.0))
    with pytest.raises(TypeError, match=r"was frozen with \['2'\], and is given \['3'\]"):
        program(torch.ones(3), 3)


# --- steps --------------------------------------------------------------------------------------------------


class Training:
    """A model in training: dropout, batch statistics, an optimizer, and a step in one of several orders."""

    def __init__(self, optimizer: str, clear: str, loss: str = "cross_entropy") -> None:
        torch.manual_seed(0)
        self.model = nn.Sequential(
            nn.Conv2d(1, 4, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.Dropout(0.3), nn.Flatten(),
            nn.Linear(64, 3),
        )  # fmt: skip
        options = {"momentum": 0.9} if optimizer == "SGD" else {}
        self.optimizer = getattr(torch.optim, optimizer)(self.model.parameters(), lr=0.01, **options)
        self.clear, self.loss = clear, loss

    def step(self, x: Any, y: Any) -> Any:
        if self.clear == "before":
            self.optimizer.zero_grad()
        scores = self.model(x)
        if self.loss == "cross_entropy":
            loss = nn.functional.cross_entropy(scores, y)
        else:
            loss = ((scores - nn.functional.one_hot(y, 3)) ** 2).mean()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        if self.clear == "after":
            self.optimizer.zero_grad()
        return loss.item(), scores.detach()[:, 0], scores.detach().t()

    def batch(self, n: int) -> tuple[Any, Any]:
        generator = torch.Generator().manual_seed(n)
        return torch.randn(2, 1, 6, 6, generator=generator), torch.tensor([n % 3, 1])


def same(frozen: Any, training: Training, calls: range) -> None:
    """Compare calls of a frozen step, and what it holds after them, with the step in eager mode."""
    for n in calls:
        torch.manual_seed(n)
        wanted = training.step(*training.batch(n))
        torch.manual_seed(n)
        found = frozen(*training.batch(n))
        assert found[0] == pytest.approx(wanted[0], rel=1e-5)
        for a, b in zip(found[1:], wanted[1:], strict=True):
            torch.testing.assert_close(a, b)
    for name, t in training.model.state_dict().items():
        torch.testing.assert_close(frozen.state_dict[f"model.{name}"], t, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("optimizer", "clear", "loss"),
    [
        ("SGD", "before", "cross_entropy"), ("SGD", "never", "mse"), ("Adam", "after", "cross_entropy"),
        ("AdamW", "before", "mse"), ("RMSprop", "never", "mse"),
    ],
)  # fmt: skip
def test_steps_go_on_as_in_eager_mode(optimizer: str, clear: str, loss: str) -> None:
    training = Training(optimizer, clear, loss)
    before = {name: t.clone() for name, t in training.model.state_dict().items()}
    drawn = torch.get_rng_state()
    program = torch.freeze(training.step, training.batch(0))
    # Freezing trains nothing.
    assert torch.equal(torch.get_rng_state(), drawn)
    assert all(torch.equal(t, before[name]) for name, t in training.model.state_dict().items())
    assert not training.optimizer.state
    assert all(p.grad is None for p in training.model.parameters())
    same(program, training, range(3))
    # A program is saved with what it holds, and goes on from there.
    memory = io.BytesIO()
    program.save(memory)
    same(torch.load_frozen(io.BytesIO(memory.getvalue())), training, range(3, 5))


def test_an_index_out_of_range_leaves_a_step_as_it_was() -> None:
    training = Training("SGD", "before")
    program = torch.freeze(training.step, training.batch(0))
    before = {name: t.clone() for name, t in program.state_dict.items()}
    with pytest.raises(IndexError):
        program(torch.randn(2, 1, 6, 6), torch.tensor([0, 3]))
    assert all(torch.equal(t, before[name]) for name, t in program.state_dict.items())


def test_the_rate_of_a_frozen_step_can_be_changed() -> None:
    training = Training("SGD", "before", "mse")
    program = torch.freeze(training.step, training.batch(0))
    training.optimizer.param_groups[0]["lr"] = 0.1
    program.state_dict["optimizer.param_groups.0.lr"].fill_(0.1)
    same(program, training, range(2))


def test_a_step_that_writes_to_what_it_is_given() -> None:
    total = torch.zeros(3)

    def step(x: Any, unused: Any) -> Any:
        total.add_(x)
        x.mul_(2)
        return total, x

    program = torch.freeze(step, (torch.ones(3), torch.ones(2)))
    x = torch.ones(3)
    first, doubled = program(x, torch.ones(2))
    assert torch.equal(x, torch.full((3,), 2.0))
    assert torch.equal(doubled, x)
    second, _ = program(x, torch.ones(2))
    assert first.tolist() == [1.0, 1.0, 1.0]
    assert second.tolist() == [3.0, 3.0, 3.0]
    assert torch.equal(total, torch.zeros(3))


def test_a_step_in_a_process_without_llvm(tmp_path: Path) -> None:
    training = Training("Adam", "before")
    torch.freeze(training.step, training.batch(0), f=tmp_path / "step.frozen")
    content = (tmp_path / "step.frozen").read_bytes()
    np.savez(tmp_path / "inputs.npz", *[t.numpy() for t in training.batch(0)])
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "src")}
    files = [str(tmp_path / n) for n in ("step.frozen", "inputs.npz", "outputs.npz")]
    program = LOADING.replace("outputs = ", "torch.manual_seed(0)\nprogram(*inputs)\n_, *outputs = ")
    program = program.replace("isinstance(outputs, tuple)", "True")
    subprocess.run([sys.executable, "-c", program, *files, "step"], check=True, env=environment, timeout=120)
    torch.manual_seed(0)
    training.step(*training.batch(0))
    _, *wanted = training.step(*training.batch(0))
    for a, b in zip(np.load(files[2]).values(), wanted, strict=True):
        np.testing.assert_allclose(a, b.numpy(), rtol=1e-4, atol=2e-5)
    # The file is as it was: its pages are copied when they are written to.
    assert (tmp_path / "step.frozen").read_bytes() == content
