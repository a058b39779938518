"""Writes or reads a checkpoint of distributed tensors: ``checkpoints.py save|async|load|again FOLDER``.

``again`` reads one and writes what it has read into a folder of that name.

Runs in torch and in pullback alike, with any number of processes.
"""

import importlib.util
import os
import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from told import tell
from torch import nn
from torch.distributed.checkpoint import HuggingFaceStorageReader, HuggingFaceStorageWriter
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate, Shard, distribute_tensor


class Counter:
    """An object that has a state."""

    def __init__(self, count):
        self.count = count

    def state_dict(self):
        return {"count": self.count}

    def load_state_dict(self, state):
        self.count = state["count"]


def trained(factor):
    """The states of a sharded model of 5 and 7 rows and of its optimizer, after steps of one batch."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 7), nn.Tanh(), nn.Linear(7, 5))
    for layer in (model[0], model[2]):
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1 * factor)
    for _ in range(3 * factor):
        optimizer.zero_grad()
        model(torch.linspace(0, 1, 12).view(4, 3)).square().sum().backward()
        optimizer.step()
    return State(model, optimizer)


class State:
    """What `get_state_dict` and `set_state_dict` make of a model and its optimizer."""

    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer

    def state_dict(self):
        model, optimizer = get_state_dict(self.model, self.optimizer)
        return {"model": model, "optimizer": optimizer}

    def load_state_dict(self, state):
        set_state_dict(
            self.model, self.optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"]
        )

    def values(self):
        """Whole values of the parameters, and of what the optimizer keeps."""
        states = [self.optimizer.state[p] for p in self.model.parameters()]
        tensors = [*self.model.parameters(), *(s[k] for s in states for k in ("exp_avg", "exp_avg_sq"))]
        found = [t.full_tensor().tolist() for t in tensors]
        return [*found, [s["step"].item() for s in states], self.optimizer.param_groups[0]["lr"]]


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
        "trained": trained(factor),
        "epoch": 7 * factor,
    }


def parts(factor):
    """Entries of which each process has a part, and one that all have, for files of safetensors."""
    model = state(factor)["model"]
    return {name: model[name] for name in ("rows", "copies", "bias")} | {"weight": model["weight"].detach()}


def in_safetensors(what, folder):
    """Write parts and whole tensors in Hugging Face's layout, or return what was read of both."""
    shards = f"{folder}/sharded"
    if what == "save":
        writer = HuggingFaceStorageWriter(
            folder, {"rows": 1, "copies": 2, "bias": 2, "weight": 1}, save_distributed=True,
            enable_consolidation=True,
        )  # fmt: skip
        dcp.save(parts(1), storage_writer=writer)
        return None
    found = []
    for place in (folder, shards):
        target = parts(0)
        dcp.load(target, storage_reader=HuggingFaceStorageReader(place))
        whole = [target["rows"].full_tensor(), target["copies"].full_tensor(), target["weight"]]
        found.append([t.tolist() for t in whole])
    return found


def main():
    what, folder = sys.argv[-2:]
    dist.init_process_group("gloo")
    if what == "save":
        found = state(1)
        dcp.save(found, checkpoint_id=folder)
        if importlib.util.find_spec("safetensors"):
            in_safetensors("save", f"{folder} in safetensors")
        results = found["trained"].values()
    elif what == "async":
        found = state(1)
        future = dcp.async_save(found, checkpoint_id=folder)
        future.wait() if hasattr(future, "wait") else future.result()
        results = found["trained"].values()
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
        results.append(found["trained"].values())
        if os.path.isdir(f"{folder} in safetensors"):
            results.append(in_safetensors("load", f"{folder} in safetensors"))
        if what == "again":
            dcp.save(found, checkpoint_id=f"{folder} again")
    tell(dist.get_rank(), results)


if __name__ == "__main__":
    main()
