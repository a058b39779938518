"""Four processes: shards with copies on a mesh of two by two, beside averaged gradients; bfloat16 sums."""

import torch
import torch.distributed as dist
from sharded import adam, losses, made, sharded
from told import tell
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Shard
from torch.distributed.tensor._utils import compute_local_shape_and_global_offset
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel


def averaged(hook=None):
    model = DistributedDataParallel(made())
    if hook is not None:
        model.register_comm_hook(None, hook)
    return losses(model, adam(model))


def main():
    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("copies", "shards"))
    model = sharded(mesh=mesh)
    results = {
        "mesh": losses(model, adam(model)),
        "placements": [str(p) for p in model.head.weight.placements],
        "rows": model.head.weight.to_local().shape[0],
        "averaged": averaged(),
        "bfloat16": averaged(default_hooks.bf16_compress_hook),
        "wrapped bfloat16": averaged(default_hooks.bf16_compress_wrapper(default_hooks.allreduce_hook)),
    }
    pair = fully_shard(made(), mesh=mesh["shards"])  # two pairs, each trained alone
    beside = DistributedDataParallel(made(), process_group=mesh.get_group("shards"))
    results["pairs"] = [losses(m, torch.optim.SGD(m.parameters(), lr=0.1), 3) for m in (pair, beside)]
    results["two dimensions"] = two_dimensions(init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp")))
    tell(dist.get_rank(), results)


def two_dimensions(mesh):
    """Train layers that are divided among two processes and sharded over two others."""

    def net():
        torch.manual_seed(0)
        return torch.nn.Sequential(torch.nn.Linear(5, 6), torch.nn.ReLU(), torch.nn.Linear(6, 3))

    def trained(model):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        found = []
        for x in torch.randn(3, 2, 4, 5, generator=torch.Generator().manual_seed(1)):
            loss = model(x[mesh.get_local_rank("dp")]).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        return found

    plan = {"0": ColwiseParallel(), "2": RowwiseParallel()}
    model = parallelize_module(net(), mesh["tp"], plan)
    fully_shard(model[2], mesh=mesh["dp"], shard_placement_fn=lambda p: Shard(0) if p.dim() < 2 else None)
    fully_shard(model, mesh=mesh["dp"])
    beside = DistributedDataParallel(net(), process_group=mesh.get_group("dp"))
    losses = [trained(model), trained(beside)]
    whole = [
        (a.full_tensor() - b).abs().max().item() < 1e-6
        for a, b in zip(model.parameters(), beside.parameters(), strict=True)
    ]
    placements = [str(p.placements) for p in model.parameters()]

    def tied():
        one, other = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
        other.weight = one.weight
        return one, other

    refusals = []
    for call in (
        lambda: model[0].weight + fully_shard(net(), mesh=mesh["dp"])[0].weight,
        lambda: [fully_shard(one, mesh=mesh["dp"]) for one in tied()],
    ):
        try:
            call()
        except (RuntimeError, ValueError) as error:
            refusals.append(str(error))
    offsets = compute_local_shape_and_global_offset((6, 5), mesh, model[0].weight.placements)
    return [losses, whole, placements, refusals, offsets]


if __name__ == "__main__":
    main()
