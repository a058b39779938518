"""Writes or reads a checkpoint of distributed tensors: ``checkpoints.py save|async|load FOLDER``.

Runs in torch and in pullback alike, with any number of processes.
"""

import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from told import tell
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor


class Counter:
    """An object that has a state."""

    def __init__(self, count):
        self.count = count

    def state_dict(self):
        return {"count": self.count}

    def load_state_dict(self, state):
        self.count = state["count"]


def state(factor):
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    layer = nn.Linear(2, 1)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[3.0, 4.0]]) * factor)
    return {
        "model": {
            "rows": distribute_tensor(torch.arange(15.0).view(5, 3) * factor, mesh, [Shard(0)]),
            "columns": distribute_tensor(torch.arange(6).view(2, 3) * factor, mesh, [Shard(1)]),
            "copies": distribute_tensor(torch.ones(2, dtype=torch.bfloat16) * factor, mesh, [Replicate()]),
            **layer.state_dict(),
        },
        "optimizer": {"state": {0: {"step": torch.tensor(3.0) * factor}}, "groups": [{"lr": 0.1 * factor}]},
        "counter": Counter(5 * factor),
        "epoch": 7 * factor,
    }


def main():
    what, folder = sys.argv[-2:]
    dist.init_process_group("gloo")
    if what == "save":
        dcp.save(state(1), checkpoint_id=folder)
        results = []
    elif what == "async":
        future = dcp.async_save(state(1), checkpoint_id=folder)
        future.wait() if hasattr(future, "wait") else future.result()
        results = []
    else:
        found = state(0)
        dcp.load(found, checkpoint_id=folder)
        model = {
            name: (t.full_tensor() if hasattr(t, "full_tensor") else t).tolist()
            for name, t in found["model"].items()
            if name != "bias"
        }
        step = found["optimizer"]["state"][0]["step"].item()
        results = [model, step, found["optimizer"]["groups"], found["counter"].count, found["epoch"]]
    tell(dist.get_rank(), results)


if __name__ == "__main__":
    main()
