"""`DistributedDataParallel` in two processes does what torch's does there."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

import pullback
from pullback import distributed as dist
from pullback import nn

from .side_by_side import needs_mpi, run, run_in_torch, same


@pytest.fixture(scope="module")
def trained() -> dict[str, Any]:
    """What the program printed, by rank."""
    return run("data_parallel.py")


@needs_mpi
def test_a_run_of_two_processes_equals_one_with_the_whole_batch(trained: dict[str, Any]) -> None:
    assert trained["0"]["equals one process"]
    assert trained["1"]["equals one process"]


@needs_mpi
def test_processes_stay_equal(trained: dict[str, Any]) -> None:
    for name, one in trained["0"].items():
        if isinstance(one, dict) and name not in ("buffers", "local buffers"):
            assert one["state"] == trained["1"][name]["state"], name
    assert trained["0"]["plain"]["losses"] != trained["1"]["plain"]["losses"]


@needs_mpi
@pytest.mark.skipif(find_spec("torch") is None, reason="compares with torch")
def test_all_is_as_in_torch(trained: dict[str, Any]) -> None:
    expected = run_in_torch("data_parallel.py")
    assert trained.keys() == expected.keys()
    for rank in ("0", "1"):
        for name, there in expected[rank].items():
            here = trained[rank][name]
            if "buffers" in name:
                # torch is told of a weight before a bias of batch normalisation: another order in the bucket
                here, there = ({k: v for k, v in r.items() if k != "buckets"} for r in (here, there))
            assert same(here, there, 2e-6), (rank, name, here, there)
    assert trained["2"] == expected["2"]


def test_assignment_of_buckets() -> None:
    sizes = (100, 200, 50, 10, 500)
    tensors = [pullback.empty(n) for n in sizes]
    assign = dist._compute_bucket_assignment_by_size
    assert assign(tensors, [400, 600]) == ([[0], [1], [2, 3, 4]], [400, 600, 600])
    doubles = [*tensors[:2], pullback.empty(50, dtype=pullback.float64), *tensors[3:]]
    assert assign(doubles, [10**9]) == ([[0, 1, 3, 4], [2]], [10**9, 10**9])
    # an order of its own keeps the order in which buckets were full
    assert assign(tensors[::-1], [400], [], [4, 3, 2, 1, 0]) == ([[4], [3, 2, 1], [0]], [400, 400, 400])
    assert assign(tensors, [400], [False, True, False, False, False])[0] == [[0], [1], [2, 3, 4]]


@pytest.mark.skipif(find_spec("torch") is None, reason="compares with torch")
def test_assignment_of_buckets_is_that_of_torch() -> None:
    import torch

    generator = pullback.Generator().manual_seed(0)
    for _ in range(20):
        sizes = pullback.randint(1, 400, (12,), generator=generator).tolist()
        kinds = pullback.randint(0, 2, (12,), generator=generator).tolist()
        sparse = [n == 0 for n in pullback.randint(0, 6, (12,), generator=generator).tolist()]
        limits = [500, 1500]
        here, there = (
            [t.empty(n, dtype=(t.float32, t.float64)[kind]) for n, kind in zip(sizes, kinds, strict=True)]
            for t in (pullback, torch)
        )
        expected = torch.distributed._compute_bucket_assignment_by_size(there, limits, sparse)
        assert dist._compute_bucket_assignment_by_size(here, limits, sparse) == expected


@pytest.fixture
def group() -> Any:
    dist.init_process_group("gloo", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.mark.usefixtures("group")
def test_a_reducer_that_is_gone_leaves_no_hooks() -> None:
    layer = nn.Linear(2, 1)
    wrapped = nn.parallel.DistributedDataParallel(layer)
    hooks = layer.weight._leaf_hooks.post
    assert len(hooks) == 1
    del wrapped.reducer
    assert not hooks


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"device_ids": [0, 1]}, ValueError, "device_ids can only be None or contain a single element."),
        ({"device_ids": [0]}, ValueError, "but got device_ids \\[0\\], output_device None, and module"),
        ({"mixed_precision": object()}, NotImplementedError, "mixed_precision of DistributedDataParallel"),
        ({"param_to_hook_all_reduce": 1}, ValueError, "need to be set at the same time."),
    ],
)
def test_what_is_refused(options: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        nn.parallel.DistributedDataParallel(nn.Linear(1, 1), **options)


@pytest.mark.usefixtures("group")
def test_deprecated_arguments_warn() -> None:
    with pytest.warns(FutureWarning, match="^`broadcast_buffers` is deprecated. Use `forward_sync_buffers`"):
        nn.parallel.DistributedDataParallel(nn.Linear(1, 1), broadcast_buffers=False)


@pytest.mark.usefixtures("group")
def test_hooks_that_are_refused() -> None:
    wrapped = nn.parallel.DistributedDataParallel(nn.Linear(1, 1))
    with pytest.raises(TypeError, match="^Communication hook must be callable.$"):
        wrapped.register_comm_hook(None, 3)

    def wrong(state: Any, bucket: int) -> Any:
        return None

    wrong.__annotations__["bucket"] = int
    with pytest.raises(ValueError, match="^Communication hook: bucket annotation should be dist.GradBucket"):
        wrapped.register_comm_hook(None, wrong)
    wrapped.register_comm_hook(None, lambda state, bucket: 3)
    with pytest.raises(RuntimeError, match="can only be called once.$"):
        wrapped.register_comm_hook(None, lambda state, bucket: 3)
    with pytest.raises(RuntimeError, match="torch.futures.Future object, but got builtins.int$"):
        wrapped(pullback.ones(1, 1)).sum().backward()
