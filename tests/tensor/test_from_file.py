"""Tensors and storages on files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pullback as torch


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "numbers.bin"
    file.write_bytes(np.arange(4, dtype=np.float32).tobytes())
    return file


def test_elements_of_a_file(path: Path) -> None:
    assert torch.from_file(str(path), size=3).tolist() == [0.0, 1.0, 2.0]
    assert torch.from_file(str(path), size=8, dtype=torch.int16)[2:4].tolist() == [0, 16256]
    assert torch.from_file(str(path)).tolist() == []


def test_writes_stay_here_unless_shared(path: Path) -> None:
    before = path.read_bytes()
    torch.from_file(str(path), size=4).fill_(9.0)
    assert path.read_bytes() == before
    torch.from_file(str(path), shared=True, size=6).fill_(9.0)
    assert path.read_bytes() == np.full(6, 9, np.float32).tobytes()


def test_errors(path: Path) -> None:
    with pytest.raises(
        RuntimeError, match=f"file <{path}> size <16> is smaller than the required mapping size <20>"
    ):
        torch.from_file(str(path), size=5)
    with pytest.raises(
        RuntimeError, match=r"unable to open file <none> in read-only mode: No such file .* \(2\)"
    ):
        torch.UntypedStorage.from_file("none", False, 3)


def test_a_storage_as_a_tensor(path: Path) -> None:
    storage = torch.UntypedStorage.from_file(str(path), False, 16)
    assert torch.asarray(storage[4:8], dtype=torch.uint8).view(dtype=torch.float32).tolist() == [1.0]
    assert torch.asarray(storage, dtype=torch.float32).tolist() == [0.0, 1.0, 2.0, 3.0]
    torch.asarray(storage, dtype=torch.float32)[0] = 5.0
    assert storage.tolist()[:4] == list(np.float32(5.0).tobytes())
