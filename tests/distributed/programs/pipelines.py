"""Pipelines: losses, outputs and gradients of each schedule, in torch and in pullback."""

import warnings

import torch
import torch.distributed as dist
from told import tell
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.pipelining import (
    PipelineStage,
    Schedule1F1B,
    ScheduleGPipe,
    ScheduleInterleaved1F1B,
    ScheduleInterleavedZeroBubble,
    ScheduleLoopedBFS,
    ScheduleZBVZeroBubble,
    SplitPoint,
    pipeline,
)
from torch.nn.parallel import DistributedDataParallel


class Part(nn.Module):
    """A part that passes on two tensors, of which one has no gradient, and takes a keyword argument."""

    def __init__(self, first, last):
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.first, self.last = first, last

    def forward(self, x, mask=None, scale=1.0):
        mask = (x > 0).float() if self.first else mask
        x = torch.tanh(self.linear(x) * mask) * scale
        return x if self.last else (x, mask)


def parts(count):
    torch.manual_seed(3)
    return [Part(i == 0, i == count - 1) for i in range(count)]


def loss_of(output, target):
    return ((output - target) ** 2).mean()


def rounded(value):
    return [round(float(x), 7) for x in value.detach().double().flatten()[:8]]


def trained(schedule, indices, count, microbatches):
    """Two steps of a schedule and an evaluation; each stage's gradients and what the last one gives."""
    modules = parts(count)
    stages = [PipelineStage(modules[i], i, count, torch.device("cpu")) for i in indices]
    one = isinstance(schedule, type) and schedule in (ScheduleGPipe, Schedule1F1B)
    run = schedule(stages[0] if one else stages, microbatches, loss_fn=loss_of)
    x, target = torch.randn(12, 6), torch.randn(12, 6)
    told = {}
    for step in range(2):
        for module in modules:
            module.zero_grad()
        losses = []
        given = {"target": target, "losses": losses} if count - 1 in indices else {}
        output = run.step(*((x,) if 0 in indices else ()), **given)
        told[f"losses {step}"] = [round(float(loss.detach()), 7) for loss in losses]
        told[f"output {step}"] = None if output is None else rounded(output)
    for i in indices:
        told[f"gradient {i}"] = rounded(modules[i].linear.weight.grad)
    if schedule is ScheduleZBVZeroBubble:  # torch cannot evaluate it
        return told
    output = run.eval(*((x,) if 0 in indices else ()), **({"target": target} if count - 1 in indices else {}))
    told["evaluated"] = None if output is None else rounded(output)
    return told


def cut(rank, size):
    """A model that is cut by its trace."""
    torch.manual_seed(5)
    model = nn.Sequential(*(nn.Sequential(nn.Linear(6, 6), nn.Tanh()) for _ in range(size)))
    x, target = torch.randn(8, 6), torch.randn(8, 6)
    pipe = pipeline(model, (x[:2],), split_spec={str(i): SplitPoint.BEGINNING for i in range(1, size)})
    stage = pipe.build_stage(rank, torch.device("cpu"))
    losses = []
    given = {"target": target, "losses": losses} if rank == size - 1 else {}
    ScheduleGPipe(stage, 4, loss_fn=loss_of).step(*((x,) if rank == 0 else ()), **given)
    return {
        "stages": pipe.num_stages,
        "losses": [round(float(loss.detach()), 7) for loss in losses],
        "names": [name for name, _ in stage.submod.named_parameters()],
        "gradients": [rounded(p.grad) for p in stage.submod.parameters()],
    }


def copies():
    """Two copies of a pipeline of two stages, each with half of a batch."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("copies", "stages"))
    place, index = mesh.get_local_rank("copies"), mesh.get_local_rank("stages")
    modules = parts(2)
    x, target = torch.randn(12, 6).chunk(2)[place], torch.randn(12, 6).chunk(2)[place]
    module = DistributedDataParallel(modules[index], process_group=mesh.get_group("copies"))
    stage = PipelineStage(module, index, 2, torch.device("cpu"), group=mesh.get_group("stages"))
    run = Schedule1F1B(stage, 3, loss_fn=loss_of)
    for _ in range(2):
        module.zero_grad()
        run.step(*((x,) if index == 0 else ()), **({"target": target} if index else {}))
    return rounded(modules[index].linear.weight.grad)


def alone(count):
    """Gradients of the whole model in one process."""
    modules = parts(count)
    x, target = torch.randn(12, 6), torch.randn(12, 6)
    value = (x,)
    for module in modules:
        value = module(*value)
    loss_of(value, target).backward()
    return {f"gradient {i}": rounded(module.linear.weight.grad) for i, module in enumerate(modules)}


def refused(make):
    try:
        make()
    except (ValueError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


def main():
    warnings.simplefilter("ignore")
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    several = [rank, rank + size]
    results = {
        "gpipe": trained(ScheduleGPipe, [rank], size, 4),
        "1f1b": trained(Schedule1F1B, [rank], size, 6),
        "interleaved": trained(ScheduleInterleaved1F1B, several, 2 * size, 4),
        "cut": cut(rank, size),
        "alone": [alone(size), alone(2 * size)],
    }
    if size == 4:
        results["copies"] = copies()
    if size == 2:
        v = [rank, 2 * size - 1 - rank]
        results |= {
            "breadth": trained(ScheduleLoopedBFS, several, 2 * size, 4),
            "zero bubble": trained(ScheduleInterleavedZeroBubble, several, 2 * size, 4),
            "v": trained(ScheduleZBVZeroBubble, v, 2 * size, 4),
        }
        stage = PipelineStage(nn.Linear(2, 2), rank, size, torch.device("cpu"))
        results["refused"] = [
            refused(lambda: Schedule1F1B(stage, 1, loss_fn=loss_of)),
            refused(lambda: PipelineStage(nn.Linear(2, 2), 2, 2, torch.device("cpu"))),
            refused(lambda: PipelineStage(nn.Linear(2, 2), 0, 1, torch.device("cpu"))),
            refused(lambda: ScheduleInterleaved1F1B([stage, stage], 5, loss_fn=loss_of)),
        ]
    tell(rank, results)


if __name__ == "__main__":
    main()
