"""Files of the safetensors library, natively and through the library's own functions for torch."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pullback as torch
from pullback.serialization.safetensors import load_file, save_file

pytest.importorskip("safetensors", reason="pip install '.[files]'")

SOURCE = Path(__file__).parents[2] / "src"


def tensors() -> dict[str, torch.Tensor]:
    return {
        "a": torch.arange(6.0).reshape(2, 3), "b": torch.ones(3, dtype=torch.bfloat16) * 1.5,
        "c": torch.tensor([1, 2]), "d": torch.tensor([True, False]),
        "e": torch.tensor(3.5, dtype=torch.float64), "h": torch.ones(2, dtype=torch.float16),
        "u": torch.tensor([1, 255], dtype=torch.uint8), "z": torch.tensor([1 + 2j]),
        "empty": torch.zeros(0, 3),
    }  # fmt: skip


def test_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    given = tensors()
    save_file(given, path, metadata={"made": "here"})
    for found in (load_file(path), torch.load(str(path))):
        assert found.keys() == given.keys()
        for name, tensor in given.items():
            assert found[name].dtype is tensor.dtype
            assert torch.equal(found[name], tensor)


def test_what_is_loaded_lies_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_file({"a": torch.zeros(3), "b": torch.ones(3)}, path)
    before = path.read_bytes()
    found = load_file(path)
    assert found["a"].untyped_storage().data_ptr() == found["b"].untyped_storage().data_ptr()
    found["a"].fill_(7.0)
    assert path.read_bytes() == before


def test_what_is_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    x = torch.ones(2, 3)
    with pytest.raises(ValueError, match="You are trying to save a non contiguous tensor: `a`"):
        save_file({"a": x.t()}, path)
    with pytest.raises(RuntimeError, match="the tensors 'a' and 'b' share memory"):
        save_file({"a": x, "b": x}, path)
    assert not path.exists()


def test_a_damaged_file(tmp_path: Path) -> None:
    from safetensors import SafetensorError

    path = tmp_path / "model.safetensors"
    save_file({"a": torch.ones(3)}, path)
    for content in (b"", path.read_bytes()[:-1], b"\xff" * 40, (10**15).to_bytes(8, "little") + b"{}"):
        path.write_bytes(content)
        with pytest.raises(SafetensorError):
            load_file(path)


PROGRAM = """
import torch
from safetensors import safe_open
from safetensors.torch import load, load_file, load_model, save, save_file, save_model

given = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.ones(3, dtype=torch.bfloat16)}
save_file(given, "a.safetensors", metadata={"x": "y"})
for found in (load_file("a.safetensors"), load(save(given))):
    for name, tensor in given.items():
        assert found[name].dtype is tensor.dtype and torch.equal(found[name], tensor)
with safe_open("a.safetensors", framework="pt") as file:
    assert file.metadata() == {"x": "y"}
    assert file.get_slice("a")[:1, 1:].tolist() == [[1.0, 2.0]]
first, second = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
save_model(first, "model.safetensors")
load_model(second, "model.safetensors")
assert torch.equal(first.weight, second.weight)
print("done")
"""


def test_the_library_s_own_functions_under_the_runner(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "pullback", "program.py"], capture_output=True, text=True, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), *sys.path])}, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
