"""torch.nn.parallel.scatter_gather: inputs spread over accelerators and outputs collected, torch's errors."""

from collections.abc import Sequence
from typing import Any

from ...errors import with_note
from ...tensor.tensor import Tensor
from .comm import NOTE
from .comm import scatter as spread


def is_namedtuple(obj: Any) -> bool:
    """Return whether an object is a tuple whose fields have names."""
    return isinstance(obj, tuple) and hasattr(obj, "_asdict") and hasattr(obj, "_fields")


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> Any:
    """Return inputs for each of several accelerators: tensors in parts, which raises; all else as it is."""
    if isinstance(inputs, Tensor):
        spread(inputs, target_gpus, dim=dim)
    if is_namedtuple(inputs):
        return [type(inputs)(*args) for args in zip(*(scatter(a, target_gpus, dim) for a in inputs))]
    if isinstance(inputs, tuple) and inputs:
        return list(zip(*(scatter(a, target_gpus, dim) for a in inputs)))
    if isinstance(inputs, list) and inputs:
        return [list(part) for part in zip(*(scatter(a, target_gpus, dim) for a in inputs))]
    if isinstance(inputs, dict) and inputs:
        parts = zip(*(scatter(item, target_gpus, dim) for item in inputs.items()))
        return [type(inputs)(part) for part in parts]
    return [inputs for _ in target_gpus]


def scatter_kwargs(
    inputs: tuple[Any, ...], kwargs: dict[str, Any] | None, target_gpus: Sequence[Any], dim: int = 0
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """Return the arguments of a call for each of several accelerators; the shorter list is filled up."""
    by_place = scatter(inputs, target_gpus, dim) if inputs else []
    by_name = scatter(kwargs, target_gpus, dim) if kwargs else []
    most = max(len(by_place), len(by_name))
    by_place += [() for _ in range(most - len(by_place))]
    by_name += [{} for _ in range(most - len(by_name))]
    return tuple(by_place), tuple(by_name)


def gather(outputs: Any, target_device: Any, dim: int = 0) -> Any:
    """Return outputs of several accelerators as one: joining tensors raises; the rest keeps its structure."""
    if isinstance((out := outputs[0]), Tensor):
        raise with_note(AssertionError("Gather function not implemented for CPU tensors"), NOTE)
    if out is None:
        return None
    if isinstance(out, dict):
        if not all(len(out) == len(d) for d in outputs):
            raise ValueError("All dicts must have the same number of keys")
        return type(out)((k, gather([d[k] for d in outputs], target_device, dim)) for k in out)
    parts = [gather(values, target_device, dim) for values in zip(*outputs)]
    return type(out)._make(parts) if is_namedtuple(out) else type(out)(parts)


__all__ = ["gather", "is_namedtuple", "scatter", "scatter_kwargs"]
