"""Check the arguments of `DistributedDataParallel`: groups, parameters, sizes of buckets and hooks."""

import inspect
from typing import Any

from ...core.process_group import needed_group
from ...errors import with_note
from ...torch_names.futures import Future
from ..parameter import is_lazy
from .buckets import GradBucket

#: How many bytes of gradients are reduced at first, while little of backward is left to overlap with.
FIRST_BUCKET_BYTES = 1024 * 1024
_BUCKET_MEGABYTES = 25


def chosen_group(process_group: Any, device_mesh: Any) -> Any:
    """Return the group that gradients are averaged over."""
    if process_group and device_mesh is not None:
        raise RuntimeError("Cannot specify both process_group and device_mesh arguments.")
    if device_mesh is not None:
        if device_mesh.ndim != 1:
            raise RuntimeError(f"Only 1D device mesh is supported, but got {device_mesh}.")
        return device_mesh.get_group(mesh_dim=0)
    if process_group is not None:
        return process_group
    try:
        return needed_group()
    except ValueError as error:
        raise with_note(
            error,
            "Train the module itself, or make a group: torch.distributed.init_process_group(), in a program "
            "that torch.distributed.run has started or with rank=0 and world_size=1.",
        ) from None


def refuse_missing(delayed: Any, delayed_until: Any, mixed_precision: Any) -> None:
    """Raise for the arguments of torch that are not there."""
    if (delayed is None) != (delayed_until is None):
        raise ValueError(
            "delay_all_reduce_named_params and param_to_hook_all_reduce need to be set at the same time."
        )
    if delayed is not None:
        raise with_note(
            NotImplementedError("delay_all_reduce_named_params is not part of pullback."),
            "Leave both arguments out: they say when gradients are reduced, not what they are.",
        )
    if mixed_precision is not None:
        raise with_note(
            NotImplementedError("mixed_precision of DistributedDataParallel is not part of pullback."),
            "torch serves it on accelerators alone. Use torch.autocast in forward, or a communication hook "
            "such as bf16_compress_hook.",
        )


def check_parameters(parameters: list[Any], device_ids: Any, output_device: Any) -> None:
    """Raise for parameters or devices that cannot be trained in several processes."""
    if not any(p.requires_grad for p in parameters):
        raise RuntimeError(
            "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a "
            "gradient."
        )
    if device_ids is not None and len(device_ids) > 1:
        raise ValueError("device_ids can only be None or contain a single element.")
    kinds = {p.device.type for p in parameters}
    if len(kinds) != 1:
        raise ValueError(
            "DistributedDataParallel's input module must be on the same type of devices, but input module "
            f"parameters locate in {kinds}."
        )
    if device_ids or output_device:
        devices = {p.device for p in parameters}
        raise ValueError(
            "DistributedDataParallel device_ids and output_device arguments only work with "
            "single-device/multiple-device GPU modules or CPU modules, but got device_ids "
            f"{device_ids}, output_device {output_device}, and module parameters {devices}."
        )
    if any(is_lazy(p) for p in parameters):
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DistributedDataParallel`. Run a dummy "
            "forward pass to correctly initialize the modules"
        )


def bucket_limits(megabytes: float | None, each: list[float] | None) -> tuple[int, ...]:
    """Return the sizes in bytes of the first, second, … bucket; the last holds for all that follow."""
    if each:
        return tuple(int(size * 1024 * 1024) for size in each)
    if megabytes is None:
        return FIRST_BUCKET_BYTES, _BUCKET_MEGABYTES * 1024 * 1024
    return (int(megabytes * 1024 * 1024),)


def check_hook(hook: Any) -> None:
    """Raise for a communication hook that cannot be called, or is written for other types."""
    if not callable(hook):
        raise TypeError("Communication hook must be callable.")
    signature = inspect.signature(hook)
    # text that stands for a type, as `from __future__ import annotations` leaves it, is not looked up
    bucket = signature.parameters["bucket"].annotation
    if not isinstance(bucket, str) and bucket not in (inspect.Signature.empty, GradBucket):
        raise ValueError("Communication hook: bucket annotation should be dist.GradBucket.")
    returned = signature.return_annotation
    if isinstance(returned, str) or returned is inspect.Signature.empty:
        return
    if getattr(returned, "__origin__", None) is not Future:
        raise ValueError(
            "Communication hook: return annotation should be torch.futures.Future[torch.Tensor]."
        )
