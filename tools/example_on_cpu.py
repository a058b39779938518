"""Run a program that asks for accelerators on the CPU, in torch or in pullback, and note its losses.

    torchrun --nproc-per-node 2 tools/example_on_cpu.py PROGRAM [ARGUMENT ...]

The CPU stands for the accelerator: it is available once for each process, a device is the CPU whatever its
number, and groups use gloo. The folder that the variable NOTES names gets one file for each rank, with every
value from which the program has called backward; a second run adds to it.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import nn

CPU = torch.device("cpu")
#: The values that are written down.
NOTED: list[float] = []


def rank() -> int:
    """Return the number of this process."""
    return int(os.environ["RANK"])


def on_cpu(value: Any) -> Any:
    """Return the CPU in place of an accelerator by its number or name, anything else as it is."""
    named = isinstance(value, str) and value.startswith(("cuda", "cpu:"))
    counted = isinstance(value, torch.device) and value.index is not None
    return CPU if named or counted or (isinstance(value, int) and not isinstance(value, bool)) else value


def mapped(function: Any) -> Any:
    """Return a function that is given the CPU in place of accelerators."""

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = {name: on_cpu(value) for name, value in kwargs.items()}
        return function(self, *map(on_cpu, args), **given)

    return call


def stand_in() -> None:
    """Let the CPU stand for the accelerator."""
    size = int(os.environ["LOCAL_WORLD_SIZE"])
    accelerator: Any = torch.accelerator
    accelerator.is_available = lambda: True
    accelerator.device_count = lambda: size
    accelerator.current_accelerator = lambda *_, **__: CPU
    accelerator.set_device_index = accelerator.device_index = torch.cuda.set_device = lambda *_: None
    nn.Module.to, torch.Tensor.to = mapped(nn.Module.to), mapped(torch.Tensor.to)  # type: ignore[method-assign,assignment]
    torch.Tensor.pin_memory = lambda self, *_: self  # type: ignore[method-assign,assignment]
    empty = nn.Module.to_empty

    def to_empty(self: Any, **kwargs: Any) -> Any:
        # A program may leave some of it as it is: memory must not decide then.
        found = empty(self, **kwargs)
        with torch.no_grad():
            for p in found.parameters():
                here = p.to_local() if hasattr(p, "to_local") else p
                here.copy_(0.1 * torch.arange(here.numel()).cos().reshape(here.shape))
        return found

    nn.Module.to_empty = to_empty  # type: ignore[method-assign]
    begin = dist.init_process_group

    def init_process_group(backend: Any = None, *args: Any, **kwargs: Any) -> None:
        kwargs.pop("device_id", None)
        begin("gloo", *args, **kwargs)

    dist.init_process_group = torch.distributed.distributed_c10d.init_process_group = init_process_group
    dist.get_default_backend_for_device = lambda device: "gloo"
    make, load = nn.parallel.DistributedDataParallel.__init__, torch.load
    nn.parallel.DistributedDataParallel.__init__ = (  # type: ignore[method-assign]
        lambda self, module, device_ids=None, **kwargs: make(self, module, **kwargs)
    )
    torch.load = lambda *args, **kwargs: load(*args, **{**kwargs, "map_location": "cpu"})


def main(after: Callable[[], None] = lambda: None) -> None:
    """Run the program, and `after` when it has ended."""
    program = sys.argv[1]
    stand_in()
    backward = torch.Tensor.backward

    def note(self: Any, *args: Any, **kwargs: Any) -> Any:
        value = self.full_tensor() if hasattr(self, "full_tensor") else self
        NOTED.append(float(value.detach().float().sum()))
        return backward(self, *args, **kwargs)

    torch.Tensor.backward = note  # type: ignore[method-assign,assignment]
    torch.manual_seed(0)
    sys.argv = sys.argv[1:]
    sys.path.insert(0, str(Path(program).resolve().parent))
    runpy.run_path(program, run_name="__main__")
    after()
    notes = Path(os.environ["NOTES"], f"{rank()}.json")
    earlier = json.loads(notes.read_text()) if notes.exists() else []
    notes.write_text(json.dumps(earlier + NOTED))


if __name__ == "__main__":
    main()
