"""Let the CPU stand for one accelerator in each process, in torch and in pullback alike."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
from typing import Any

import torch
from torch import nn

#: What makes tensors on a device that is given by name or number.
MAKERS = (
    "arange", "as_tensor", "empty", "empty_like", "eye", "full", "full_like", "linspace", "normal", "ones",
    "ones_like", "rand", "rand_like", "randint", "randn", "randn_like", "randperm", "tensor", "zeros",
    "zeros_like",
)  # fmt: skip


def on_cpu(value: Any) -> Any:
    """Return the CPU in place of an accelerator, anything else as it is."""
    named = isinstance(value, str) and value.startswith("cuda")
    return "cpu" if named or (isinstance(value, torch.device) and value.type != "cpu") else value


def without_device(function: Any) -> Any:
    """Return a function that makes its tensors on the CPU."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("device") is not None:
            kwargs["device"] = "cpu"
        return function(*args, **kwargs)

    return call


def moved_nowhere(move: Any) -> Any:
    """Return a method that moves something to the CPU whatever device it is told; a number is one."""

    @functools.wraps(move)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], int):
            args = ("cpu", *args[1:])
        return move(self, *map(on_cpu, args), **{name: on_cpu(value) for name, value in kwargs.items()})

    return call


def stand_in() -> None:
    """Put the CPU where programs look for an accelerator."""
    importlib.import_module("torch._dynamo")  # which torch imports later, and which looks its functions up
    here: Any = torch
    cuda: Any = torch.cuda
    count = int(os.environ["WORLD_SIZE"])
    for name in MAKERS:
        setattr(here, name, without_device(getattr(here, name)))
    cuda.is_available, cuda.device_count = (lambda: True), (lambda: count)
    cuda.set_device = cuda.synchronize = cuda.empty_cache = lambda *_, **__: None
    cuda.current_device = lambda: int(os.environ["RANK"])
    cuda.device = lambda *_: contextlib.nullcontext()
    for kind in (torch.Tensor, nn.Module):
        changed: Any = kind
        changed.cuda = lambda self, *_, **__: self
        changed.to = moved_nowhere(changed.to)
    wrapper: Any = nn.parallel.DistributedDataParallel
    make = wrapper.__init__

    def __init__(self: Any, module: Any, device_ids: Any = None, output_device: Any = None, **more: Any) -> None:  # noqa: E501
        make(self, module, **more)

    wrapper.__init__ = __init__
