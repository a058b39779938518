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
    layer = nn.Linear(3, 3)
    optimizer = torch.optim.SGD(layer.parameters(), 0.1)

    def step(x: Any) -> Any:
        layer(x).sum().backward()
        optimizer.step()

    with pytest.raises(NotImplementedError, match="a step that trains is not frozen"):
        torch.freeze(step, torch.randn(4, 3))
    with pytest.raises(RuntimeError, match="draws random numbers"):
        torch.freeze(nn.Dropout(), torch.randn(4, 3))
    with pytest.raises(RuntimeError, match="reads numbers of its inputs in Python"):
        torch.freeze(lambda x: x if x.sum() > 0 else -x, torch.randn(4, 3))
