"""Modules whose parameters are sharded over two processes train as in torch, and as in one process."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

import pullback
from pullback import distributed as dist
from pullback import nn
from pullback.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    set_model_state_dict,
)
from pullback.distributed.device_mesh import DeviceMesh, init_device_mesh
from pullback.distributed.fsdp import FSDPModule, FullyShardedDataParallel, MixedPrecision, fully_shard
from pullback.distributed.tensor import DTensor

from .side_by_side import needs_mpi, run, run_in_torch, same


@pytest.fixture(scope="module")
def trained() -> dict[str, Any]:
    """What the program printed, by rank."""
    return run("sharded.py")


@needs_mpi
def test_each_process_has_a_shard(trained: dict[str, Any]) -> None:
    first, second = trained["0"]["shards"], trained["1"]["shards"]
    # of 11 rows the first has 6, and the second the rest
    assert (first[0], second[0]) == ([6, 7], [5, 7])
    assert trained["0"]["names"][:2] == ["FSDPNet", "FSDPBlock"]


@needs_mpi
def test_states_resume_whole_and_in_shards(trained: dict[str, Any]) -> None:
    for rank in ("0", "1"):
        kinds, _, _, going_on, resumed = trained[rank]["states"]
        assert kinds == ["Tensor", "DTensor"]
        assert resumed == [going_on, going_on]


@needs_mpi
def test_ways_to_shard_agree(trained: dict[str, Any]) -> None:
    for rank in ("0", "1"):
        done = trained[rank]
        assert done["losses"] == done["kept"]
        assert same(done["wrapped"][0], done["losses"][:3], 1e-6)
        assert same(done["mixed"][:1], done["losses"][:1], 1e-2)


@needs_mpi
def test_blocks_are_computed_again(trained: dict[str, Any]) -> None:
    for rank in ("0", "1"):
        found = trained[rank]["recomputed"]
        for number in (0, 3, 6):
            assert same(found[number], trained[rank]["losses"][:2], 1e-6)
            assert found[number + 1] == 8  # two blocks, two steps, twice
            assert found[number + 2] == sorted(trained[rank]["names"][2])


@needs_mpi
def test_optimizers_resume_by_the_older_methods(trained: dict[str, Any]) -> None:
    for rank in ("0", "1"):
        going_on = trained[rank]["optimizers"][1]
        assert trained[rank]["resumed"] == [going_on, going_on]


@needs_mpi
@pytest.mark.skipif(find_spec("torch") is None, reason="compares with torch")
def test_all_is_as_in_torch(trained: dict[str, Any]) -> None:
    expected = run_in_torch("sharded.py")
    for rank in ("0", "1"):
        for name, there in expected[rank].items():
            tolerance = 2e-3 if name == "mixed" else 1e-5  # bfloat16 has eight bits
            here = trained[rank][name]
            assert same(here, there, tolerance), (rank, name, here, there)


@needs_mpi
def test_four_processes() -> None:
    done = run("four.py", ranks=4)
    for rank in range(4):
        found = done[str(rank)]
        assert found["placements"] == ["R", "S(0)"]
        assert found["rows"] == (6, 5)[rank % 2]
        assert same(found["mesh"], found["averaged"], 1e-6)
        assert found["bfloat16"] != found["averaged"]
        assert same(found["bfloat16"], found["averaged"], 3e-2)
        assert same(found["wrapped bfloat16"], found["averaged"], 3e-2)
        assert same(*found["pairs"], 1e-6)
        assert not same(found["pairs"][0][1:], found["averaged"][1:3], 1e-3)
        losses, whole, placements, refusals, (shape, offsets) = found["two dimensions"]
        assert same(*losses, 1e-6) and all(whole)
        twice = "(_StridedShard(dim=0, sf=2), Shard(dim=0))"
        last = ["(Shard(dim=0), Shard(dim=1))", "(Shard(dim=0), Replicate())"]
        assert placements == [twice, twice, *last]
        assert refusals[0].startswith("All operands in aten.add.Tensor must have the same mesh, but got")
        assert refusals[1].startswith("Parameter 'weight' is shared with a parameter already managed by")
        assert (shape, offsets) == ([2 - rank // 2, 5], [3 * (rank % 2) + 2 * (rank // 2), 0])


@needs_mpi
def test_layers_are_divided() -> None:
    """Tensor parallelism, beside the whole layers and beside torch's."""
    done = run("divided.py")
    for rank in ("0", "1"):
        assert [found[2:] for found in done[rank][:2]] == [[True, True], [True, True]]
    # of 9 rows of the head the first process has 5
    assert (done["0"][0][0][-1], done["1"][0][0][-1]) == ([5, 8], [4, 8])
    if find_spec("torch") is not None:
        assert same(done, run_in_torch("divided.py"), 1e-5)


@pytest.fixture
def group() -> Any:
    dist.init_process_group("gloo", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.mark.usefixtures("group")
def test_meshes() -> None:
    mesh = init_device_mesh("cpu", (1, 1), mesh_dim_names=("dp", "tp"))
    assert repr(mesh) == "DeviceMesh((dp=1, tp=1), 'cpu', stride=((), ()))"
    assert repr(mesh["tp"]) == "DeviceMesh((tp=1), 'cpu', stride=((),))"
    assert (mesh.ndim, mesh.shape, mesh.size(), mesh.get_coordinate()) == (2, (1, 1), 1, (0, 0))
    assert mesh["dp"].get_local_rank() == mesh.get_local_rank("dp") == 0
    assert mesh["dp"] != DeviceMesh("cpu", [0])
    assert DeviceMesh("cpu", [0]) == init_device_mesh("cpu", (1,))
    flat = mesh["dp", "tp"]._flatten("all")
    assert repr(flat) == "DeviceMesh((all=1), 'cpu', stride=((),))"
    assert flat is mesh["all"] is mesh._flatten("all")
    assert flat.get_group() is dist.group.WORLD is dist.GroupMember.WORLD
    with pytest.raises(RuntimeError, match="Found the DeviceMesh have 2 dimensions"):
        mesh.get_group()
    with pytest.raises(KeyError, match="Valid mesh_dim_names are"):
        mesh["x"]
    with pytest.raises(RuntimeError, match="bigger than default world size 1, but found 2 ranks!"):
        init_device_mesh("cpu", (2,))


@pytest.mark.usefixtures("group")
def test_a_graph_does_not_keep_whole_parameters() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    expected = [p.clone() for p in net.parameters()]
    for part in net:
        fully_shard(part)
    fully_shard(net)
    assert isinstance(net, FSDPModule)
    loss = net(pullback.ones(5, 3)).sum()
    whole = net[0]._fsdp_state.group.parameters[0].leaf
    assert whole.stride() == (0, 0)  # its memory is given up
    loss.backward()
    assert whole.stride() == (0, 0)
    assert [p.full_tensor().tolist() for p in net.parameters()] == [p.tolist() for p in expected]
    assert net[0].weight.grad.full_tensor().shape == (4, 3)
    with pytest.raises(RuntimeError, match="got mixed torch.Tensor and DTensor"):
        _ = net[0].weight.grad + pullback.ones(4, 3)


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize("options", [{}, {"amsgrad": True, "maximize": True, "weight_decay": 0.1}])
def test_a_step_is_done_on_the_parts(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    plain, sharded = nn.Linear(3, 4), nn.Linear(3, 4)
    sharded.load_state_dict(plain.state_dict())
    fully_shard(sharded)
    models = [(net, pullback.optim.Adam(net.parameters(), lr=0.1, **options)) for net in (plain, sharded)]
    saved = sharded.weight * sharded.weight
    asked: list[str] = []
    ask = DTensor.__torch_dispatch__

    def counted(func: Any, *rest: Any) -> Any:
        asked.append(str(func))
        return ask(func, *rest)

    for step in range(3):
        for net, optimizer in models:
            optimizer.zero_grad()
            net(pullback.arange(6.0).reshape(2, 3) - step).pow(2).sum().backward()
        with monkeypatch.context() as patch:
            patch.setattr(DTensor, "__torch_dispatch__", counted)
            for _, optimizer in models:
                optimizer.step()
        # The state is made in the first one.
        assert step == 0 or asked == []
        asked.clear()
    assert sharded.weight.full_tensor().tolist() == plain.weight.tolist()
    assert isinstance(models[1][1].state[sharded.weight]["exp_avg"], DTensor)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        saved.full_tensor().sum().backward()


@pytest.mark.usefixtures("group")
def test_batch_normalisation_keeps_its_precision() -> None:
    """Among layers that compute in bfloat16, as torch has it with a policy."""
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
    seen: list[Any] = []
    net[1].register_forward_hook(lambda part, args, out: seen.append((args[0].dtype, out.dtype)))
    bfloat16 = MixedPrecision(pullback.bfloat16)
    with pytest.warns(UserWarning, match="Both mixed precision and an auto_wrap_policy were specified"):
        model = FullyShardedDataParallel(net, mixed_precision=bfloat16, auto_wrap_policy={nn.LayerNorm})
    model(pullback.rand(5, 3)).sum().backward()
    assert seen[0][0] == pullback.float32
    assert [type(part).__name__ for part in model.module] == ["Linear", "FullyShardedDataParallel", "Linear"]
    assert model.module[1].running_mean.dtype == pullback.float32


@pytest.mark.usefixtures("group")
def test_parameters_that_get_memory_after_they_are_sharded() -> None:
    with pullback.device("meta"):
        layer = nn.Linear(4, 3)
    fully_shard(layer)
    layer.to_empty(device="cpu")
    layer.reset_parameters()
    layer(pullback.ones(2, 4)).sum().backward()
    assert layer.weight.device.type == "cpu"
    assert 0 < layer.weight.full_tensor().abs().max() < 0.5
    assert layer.weight.grad.full_tensor().tolist() == [[2.0] * 4] * 3
    with pullback.device("meta"):
        other = nn.Linear(4, 3)
    fully_shard(other)
    whole = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    set_model_state_dict(other, get_model_state_dict(layer, options=whole), options=whole)
    assert pullback.equal(other(pullback.ones(2, 4)), layer(pullback.ones(2, 4)))
