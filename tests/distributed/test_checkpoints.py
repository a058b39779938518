"""A checkpoint of two processes is read by any other number of them, and by torch, whose are read here."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import pullback
from pullback import distributed as dist
from pullback.distributed import checkpoint

from .side_by_side import needs_mpi, run, run_in_torch, same

SAVED: list[Any] = [
    {
        "rows": [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0], [9.0, 10.0, 11.0], [12.0, 13.0, 14.0]],
        "columns": [[0, 1, 2], [3, 4, 5]],
        "copies": [1.0, 1.0],
        "weight": [[3.0, 4.0]],
    },
    3.0, [{"lr": 0.1}], 5, 7,
]  # fmt: skip
HAS_SAFETENSORS = find_spec("safetensors") is not None
#: What is read of files of safetensors, whole and in parts, where the library is there.
NAMED = [[[SAVED[0]["rows"], SAVED[0]["copies"], SAVED[0]["weight"]]] * 2][:HAS_SAFETENSORS]


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
        assert run("checkpoints.py", "again", folder)["1"] == [*SAVED, trained, *NAMED]
        folder += " again"
    read = run("checkpoints.py", "load", folder, ranks=3)
    assert read == {rank: [*SAVED, trained] for rank in "012"}


@needs_mpi
@pytest.mark.skipif(find_spec("torch") is None, reason="compares with torch")
def test_torch_reads_and_is_read(tmp_path: Path) -> None:
    here = run("checkpoints.py", "save", str(tmp_path / "here"))["0"]
    assert run_in_torch("checkpoints.py", "load", str(tmp_path / "here"), ranks=1) == {
        "0": [*SAVED, here, *NAMED]
    }
    there = run_in_torch("checkpoints.py", "save", str(tmp_path / "there"))["0"]
    assert run("checkpoints.py", "load", str(tmp_path / "there"))["1"] == [*SAVED, there, *NAMED]
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
    with pytest.raises(checkpoint.CheckpointException, match="Missing key in checkpoint.*: c.") as found:
        checkpoint.load(target, checkpoint_id=tmp_path)
    assert isinstance(found.value.failures[0][0], RuntimeError)
    target = {"a": pullback.zeros(2), "b": pullback.zeros(4)}
    text = r"ValueError: Size mismatch between saved torch.Size\(\[3\]\) and current"
    with pytest.raises(checkpoint.CheckpointException, match=text):
        checkpoint.load(target, checkpoint_id=tmp_path)
    assert target["a"].tolist() == [0.0, 0.0]


def test_one_process_needs_no_group(tmp_path: Path) -> None:
    checkpoint.save({"a": pullback.ones(2)}, checkpoint_id=tmp_path)
    found: dict[str, Any] = {"a": pullback.zeros(2)}
    checkpoint.load(found, checkpoint_id=tmp_path)
    assert found["a"].tolist() == [1.0, 1.0]


class _Renaming(checkpoint.DefaultSavePlanner):
    """Save under other names, as torch's documentation shows it."""

    def set_up_planner(self, state_dict: Any, storage_meta: Any = None, is_coordinator: bool = False) -> None:
        renamed = {f"foo_{name}": value for name, value in state_dict.items()}
        super().set_up_planner(renamed, storage_meta, is_coordinator)


class _Halving(checkpoint.DefaultSavePlanner):
    """Save tensors as halves, likewise."""

    def create_local_plan(self) -> Any:
        plan = super().create_local_plan()
        for item in plan.items:
            if item.tensor_data is not None:
                item.tensor_data.properties.dtype = pullback.float16
        return plan

    def resolve_data(self, write_item: Any) -> Any:
        found = super().resolve_data(write_item)
        return found.to(pullback.float16) if isinstance(found, pullback.Tensor) else found


class _Loading(checkpoint.DefaultLoadPlanner):
    """Load into tensors of the checkpoint's own dtype, likewise."""

    def resolve_tensor(self, read_item: Any) -> Any:
        assert self.metadata is not None
        dtype = self.metadata.state_dict_metadata[read_item.dest_index.fqn].properties.dtype
        return pullback.empty(tuple(read_item.lengths), dtype=dtype)

    def commit_tensor(self, read_item: Any, tensor: Any) -> None:
        self.original_state_dict[read_item.dest_index.fqn] = tensor


def test_planners_of_the_program_decide(tmp_path: Path) -> None:
    state = {"w": pullback.arange(3.0), "deep": {"n": 3}}
    written = checkpoint.save(state, checkpoint_id=tmp_path / "renamed", planner=_Renaming())
    assert sorted(written.state_dict_metadata) == ["foo_deep.n", "foo_w"]
    checkpoint.save(state, checkpoint_id=tmp_path / "halved", planner=_Halving())
    found: dict[str, Any] = {"w": pullback.zeros(3)}
    checkpoint.load(found, checkpoint_id=tmp_path / "halved", planner=_Loading())
    assert found["w"].dtype is pullback.float16
    assert found["w"].tolist() == [0.0, 1.0, 2.0]
    found = {"w": pullback.zeros(3), "more": 1}
    with pytest.raises(checkpoint.CheckpointException, match="Missing key"):
        checkpoint.load(found, checkpoint_id=tmp_path / "halved")
    partly = checkpoint.DefaultLoadPlanner(allow_partial_load=True)
    checkpoint.load(found, checkpoint_id=tmp_path / "halved", planner=partly)
    assert found["more"] == 1


class _InMemory(checkpoint.StorageWriter, checkpoint.StorageReader):
    """Keep a checkpoint in a dictionary."""

    def __init__(self) -> None:
        self.kept: dict[Any, Any] = {}
        self.metadata: Any = None
        self.calls: list[str] = []

    def reset(self, checkpoint_id: Any = None) -> None:
        self.calls.append(f"reset {checkpoint_id}")

    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        self.calls.append(f"coordinates {is_coordinator}")

    def prepare_local_plan(self, plan: Any) -> Any:
        return plan

    def prepare_global_plan(self, plans: Any) -> Any:
        return plans

    def write_data(self, plan: Any, planner: Any) -> Any:
        results = []
        for item in plan.items:
            self.kept[item.index] = planner.resolve_data(item)
            results.append(checkpoint.storage.WriteResult(item.index, 0, None))
        future: Any = pullback.futures.Future()
        future.set_result(results)
        return future

    def finish(self, metadata: Any, results: Any) -> None:
        self.metadata = metadata
        self.calls.append(f"finish {len(results[0])}")

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: Any) -> bool:
        return True

    def read_metadata(self, *args: Any, **kwargs: Any) -> Any:
        return self.metadata

    def set_up_storage_reader(self, metadata: Any, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        assert metadata is self.metadata

    def read_data(self, plan: Any, planner: Any) -> Any:
        for item in plan.items:
            if item.type is checkpoint.planner.LoadItemType.BYTE_IO:
                planner.load_bytes(item, self.kept[item.storage_index])
            else:
                planner.resolve_tensor(item).copy_(self.kept[item.storage_index])
        future: Any = pullback.futures.Future()
        future.set_result(None)
        return future


def test_storage_of_the_program_is_written_and_read() -> None:
    storage = _InMemory()
    checkpoint.save({"w": pullback.arange(3.0), "n": 7}, storage_writer=storage, checkpoint_id="here")
    assert storage.calls == ["reset here", "coordinates True", "finish 2"]
    found: dict[str, Any] = {"w": pullback.zeros(3), "n": 0}
    checkpoint.load(found, storage_reader=storage)
    assert (found["w"].tolist(), found["n"]) == ([0.0, 1.0, 2.0], 7)


def test_what_several_have_is_written_once() -> None:
    plan = checkpoint.default_planner.create_default_local_save_plan(
        {"a": pullback.ones(4), "b": pullback.ones(2), "c": 1}, True
    )
    for lowest, expected in ((True, [["a", "b", "c"], []]), (False, [["a"], ["b", "c"]])):
        planner = checkpoint.DefaultSavePlanner(flatten_state_dict=False, dedup_save_to_lowest_rank=lowest)
        plans, metadata = planner.create_global_plan([plan, plan])
        assert [[item.index.fqn for item in one.items] for one in plans] == expected
        assert sorted(metadata.state_dict_metadata) == ["a", "b", "c"]


def test_a_checkpoint_is_replaced_only_where_it_may_be(tmp_path: Path) -> None:
    checkpoint.save({"a": 1}, checkpoint_id=tmp_path)
    with pytest.warns(UserWarning, match="^Detected an existing checkpoint in .*overwrite=True"):
        checkpoint.save({"a": 2}, checkpoint_id=tmp_path)
    with pytest.raises(checkpoint.CheckpointException, match="already exists and self.overwrite=False"):
        checkpoint.save({"a": 3}, storage_writer=checkpoint.FileSystemWriter(tmp_path, overwrite=False))
    found = {"a": 0}
    checkpoint.load(found, checkpoint_id=tmp_path)
    assert found == {"a": 2}


@pytest.mark.usefixtures("group")
def test_one_process_reads_a_file_for_all(tmp_path: Path) -> None:
    formats = checkpoint.format_utils
    pullback.save({"m": {"w": pullback.arange(4.0)}}, tmp_path / "file.pt")
    found = {"m": {"w": pullback.zeros(4)}}
    checkpoint.load(
        found, storage_reader=formats.BroadcastingTorchSaveReader(), checkpoint_id=tmp_path / "file.pt",
        planner=formats.DynamicMetaLoadPlanner(),
    )  # fmt: skip
    assert found["m"]["w"].tolist() == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.skipif(find_spec("fsspec") is None, reason="needs fsspec")
def test_fsspec_names_the_place_where_it_is_installed() -> None:
    from pullback.distributed.checkpoint._fsspec_filesystem import FsspecReader, FsspecWriter

    checkpoint.save({"w": pullback.arange(3.0)}, storage_writer=FsspecWriter("memory://checkpoint/1"))
    found = {"w": pullback.zeros(3)}
    checkpoint.load(found, storage_reader=FsspecReader("memory://checkpoint/1"))
    assert found["w"].tolist() == [0.0, 1.0, 2.0]


def test_without_fsspec_the_error_says_what_else_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from pullback.distributed.checkpoint._fsspec_filesystem import FsspecWriter

    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(ModuleNotFoundError) as caught:
        FsspecWriter("memory://checkpoint/1")
    assert "pip install fsspec" in caught.value.__notes__[0]


@pytest.mark.skipif(not HAS_SAFETENSORS, reason="pip install '.[files]'")
def test_files_of_safetensors_hold_tensors_alone(tmp_path: Path) -> None:
    writer = checkpoint.HuggingFaceStorageWriter(tmp_path)
    checkpoint.save({"a": {"b": pullback.ones(2)}}, storage_writer=writer)
    assert list(pullback.load(tmp_path / "model-00001-of-00001.safetensors")) == ["a.b"]
    with pytest.raises(checkpoint.CheckpointException, match="hold tensors alone, and n are other objects"):
        checkpoint.save({"n": 3}, storage_writer=writer)


def test_a_thread_copies_a_state(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="Non-blocking copy requires"):
        checkpoint.staging.DefaultStager()
    options = checkpoint.staging.StagingOptions(use_non_blocking_copy=False)
    stager = checkpoint.staging.DefaultStager(options)
    state = {"a": pullback.ones(2)}
    response = checkpoint.async_save(state, checkpoint_id=tmp_path, async_stager=stager)
    response.staging_completion.result()
    state["a"].zero_()
    response.upload_completion.result()
    checkpoint.load(state, checkpoint_id=tmp_path)
    assert state["a"].tolist() == [1.0, 1.0]
    stager.close()
