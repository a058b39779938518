"""Four processes: shards with copies on a mesh of two by two, beside averaged gradients; bfloat16 sums."""

import torch
import torch.distributed as dist
from sharded import adam, losses, made, sharded
from told import tell
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
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
    tell(dist.get_rank(), results)


if __name__ == "__main__":
    main()
