"""A checkpoint of two processes is read by any other number of them, and by torch, whose are read here."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import pullback
from pullback import distributed as dist
from pullback.distributed import checkpoint

from .side_by_side import needs_mpi, run, run_in_torch, same

SAVED = [
    {
        "rows": [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0], [9.0, 10.0, 11.0], [12.0, 13.0, 14.0]],
        "columns": [[0, 1, 2], [3, 4, 5]],
        "copies": [1.0, 1.0],
        "weight": [[3.0, 4.0]],
    },
    3.0, [{"lr": 0.1}], 5, 7,
]  # fmt: skip


@needs_mpi
@pytest.mark.parametrize(("how", "ranks"), [("save", 4), ("async", 2)])
def test_some_write_and_others_read(tmp_path: Path, how: str, ranks: int) -> None:
    """The states of a sharded model and its optimizer are the same bits after 4, 2 and 3 processes."""
    folder = str(tmp_path / "saved")
    trained = run("checkpoints.py", how, folder, ranks=ranks)["0"]
    assert sorted(file.name for file in (tmp_path / "saved").iterdir()) == [
        ".metadata", *(f"__{rank}_0.distcp" for rank in range(ranks)),
    ]  # fmt: skip
    if how == "save":
        assert run("checkpoints.py", "again", folder)["1"] == [*SAVED, trained]
        folder += " again"
    read = run("checkpoints.py", "load", folder, ranks=3)
    assert read == {rank: [*SAVED, trained] for rank in "012"}


@needs_mpi
@pytest.mark.skipif(find_spec("torch") is None, reason="compares with torch")
def test_torch_reads_and_is_read(tmp_path: Path) -> None:
    here = run("checkpoints.py", "save", str(tmp_path / "here"))["0"]
    assert run_in_torch("checkpoints.py", "load", str(tmp_path / "here"), ranks=1) == {"0": [*SAVED, here]}
    there = run_in_torch("checkpoints.py", "save", str(tmp_path / "there"))["0"]
    assert run("checkpoints.py", "load", str(tmp_path / "there"))["1"] == [*SAVED, there]
    assert same(here, there)


@pytest.fixture
def group() -> Iterator[None]:
    dist.init_process_group("gloo", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.mark.usefixtures("group")
def test_what_does_not_fit_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    checkpoint.save({"a": pullback.ones(2), "b": pullback.ones(3)}, checkpoint_id=tmp_path)
    target: dict[str, Any] = {"a": pullback.zeros(2), "c": pullback.zeros(2)}
    with pytest.raises(RuntimeError, match="^Missing key in checkpoint state_dict: c.$"):
        checkpoint.load(target, checkpoint_id=tmp_path)
    target = {"a": pullback.zeros(2), "b": pullback.zeros(4)}
    with pytest.raises(ValueError, match=r"^Size mismatch between saved torch.Size\(\[3\]\) and current"):
        checkpoint.load(target, checkpoint_id=tmp_path)
    assert target["a"].tolist() == [0.0, 0.0]


def test_one_process_needs_no_group(tmp_path: Path) -> None:
    checkpoint.save({"a": pullback.ones(2)}, checkpoint_id=tmp_path)
    found: dict[str, Any] = {"a": pullback.zeros(2)}
    checkpoint.load(found, checkpoint_id=tmp_path)
    assert found["a"].tolist() == [1.0, 1.0]
