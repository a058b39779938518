"""`vmap`: run a function once on whole batches as if it were called on every row."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..core.batched import Mapping, mappings
from ..core.levels import Level, entered_level
from ..core.value import TensorBase, shape_of
from ..core.versions import version_of
from ..tensor.batching import enter, leave
from ..tensor.namespace import TOP_LEVEL
from ..tensor.random import get_rng_state, set_rng_state
from .tree import Spec, broadcast_prefix, flatten, unflatten


def _name(func: Any) -> str:
    if hasattr(func, "__name__"):
        return str(func.__name__)
    if isinstance(func, functools.partial):
        return f"functools.partial({_name(func.func)}, ...)"
    return repr(func)


def vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *,
    chunk_size: int | None = None
) -> Callable[..., Any]:
    """Map a function over an axis of its inputs.

    Parameters
    ----------
    func : callable
        Takes and returns (nested containers of) tensors.
    in_dims : int or nested tuple
        Which axis of each positional input is the batch; None for an input that every call gets whole, as it
        gets keyword arguments.
    out_dims : int or nested tuple
        Where the batch axis goes in each output.
    randomness : {"error", "different", "same"}
        What becomes of random draws inside: an error, draws of their own for every row, or the same for all.
    chunk_size : int, optional
        Rows per pass.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        )
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        _check_out_dims(func, out_dims)
        leaves, dims, spec = _inputs(func, in_dims, args)
        size = _batch_size(leaves, dims)

        def call(rows: list[Any], count: int) -> tuple[list[Any], Spec]:
            return _run(func, rows, dims, spec, kwargs, count, out_dims, randomness)

        if chunk_size is None or chunk_size >= size:
            return unflatten(*call(leaves, size))
        return _in_chunks(call, leaves, dims, size, out_dims, randomness, chunk_size)

    return wrapped


def _inputs(func: Any, in_dims: Any, args: tuple[Any, ...]) -> tuple[list[Any], list[int | None], Any]:
    """The leaves of the arguments, the batch axis of each (non-negative), and how they are nested."""
    name = _name(func)
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially "
            f"nested) tuple matching the structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to "
            "vmap over a function with no inputs. The latter is unsupported."
        )
    leaves, spec = flatten(args)
    chosen = broadcast_prefix(in_dims, spec)
    if chosen is None:
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure "
            f"of `inputs`. in_dims has structure {flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    dims: list[int | None] = []
    for leaf, dim in zip(leaves, chosen, strict=True):
        if dim is not None and not isinstance(dim, int):
            raise ValueError(
                f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={dim} for an input but in_dim "
                "must be either an integer dimension or None."
            )
        if dim is not None and not isinstance(leaf, TensorBase):
            raise ValueError(
                f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={dim} for an input but the "
                f"input is of type {type(leaf)}. We cannot vmap over non-Tensor arguments, please use None "
                "as the respective in_dim"
            )
        if dim is not None:
            rank = len(shape_of(leaf))
            if not -rank <= dim < rank:
                raise ValueError(
                    f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={dim} for some input, but "
                    f"that input is a Tensor of dimensionality {rank} so expected in_dim to satisfy -{rank} "
                    f"<= in_dim < {rank}."
                )
            dim %= rank
        dims.append(dim)
    return leaves, dims, spec


def _batch_size(leaves: list[Any], dims: list[int | None]) -> int:
    sizes = [shape_of(v)[d] for v, d in zip(leaves, dims, strict=True) if d is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(s != sizes[0] for s in sizes):
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} "
            "for the mapped dimension"
        )
    return sizes[0]


def _check_out_dims(func: Any, out_dims: Any) -> None:
    for dim in flatten(out_dims)[0]:
        if dim is not None and not isinstance(dim, int):
            raise ValueError(
                f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
                "collection of ints representing where in the outputs the vmapped dimension should appear."
            )


def _run(
    func: Any, leaves: list[Any], dims: list[int | None], spec: Spec, kwargs: dict[str, Any], size: int,
    out_dims: Any, randomness: str,
) -> tuple[list[Any], Spec]:  # fmt: skip
    """The leaves of the outputs for one batch, with its axis, and how they are nested."""
    with entered_level() as level:
        inside = [v if d is None else enter(v, d, level) for v, d in zip(leaves, dims, strict=True)]
        token = mappings.set((*mappings.get(), Mapping(level, size, randomness)))
        try:
            outputs = func(*unflatten(inside, spec), **kwargs)
        finally:
            mappings.reset(token)
        for before, after, dim in zip(leaves, inside, dims, strict=True):
            if dim is not None and version_of(after):
                before.copy_(leave(after, dim, size, level))
        results, out_spec = flatten(outputs)
        chosen = _output_dims(func, out_dims, out_spec)
        done = [_left(func, v, d, size, level) for v, d in zip(results, chosen, strict=True)]
    return done, out_spec


def _output_dims(func: Any, out_dims: Any, out_spec: Spec) -> list[Any]:
    """For each leaf of the outputs, where its batch axis goes."""
    if out_spec.kind is None and isinstance(out_dims, tuple) and len(out_dims) == 1:
        return list(out_dims)
    chosen = broadcast_prefix(out_dims, out_spec)
    if chosen is None:
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the "
            f"structure of `outputs`. out_dims has structure {flatten(out_dims)[1]} but outputs has "
            f"structure {out_spec}."
        )
    return chosen


def _left(func: Any, value: Any, dim: int | None, size: int, level: Level) -> Any:
    """One output with its batch axis; None as its place says that every row has the same."""
    name = _name(func)
    if dim is None:
        if isinstance(value, TensorBase) and value._level == level:
            raise ValueError(
                f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None"
            )
        return value
    if not isinstance(value, TensorBase):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(value)}. Did you mean "
            "to set out_dims= to None for output?"
        )
    rank = len(shape_of(value)) + 1
    if not -rank <= dim < rank:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [-{rank}, {rank - 1}], but got {dim})"
        )
    return leave(value, dim % rank, size, level)


def _in_chunks(
    call: Callable[[list[Any], int], tuple[list[Any], Spec]], leaves: list[Any], dims: list[int | None],
    size: int, out_dims: Any, randomness: str, chunk: int,
) -> Any:  # fmt: skip
    """The outputs of several smaller batches, joined; "same" draws are the same in all of them."""
    state = get_rng_state() if randomness == "same" else None
    parts = []
    for start in range(0, size, chunk):
        if state is not None:
            set_rng_state(state)
        count = min(chunk, size - start)
        rows = [v if d is None else v.narrow(d, start, count) for v, d in zip(leaves, dims, strict=True)]
        done, out_spec = call(rows, count)
        parts.append(done)
    chosen = broadcast_prefix(out_dims, out_spec) or list(out_dims)
    columns = zip(*parts, strict=True)
    cat = TOP_LEVEL["cat"]
    return unflatten([cat(list(c), d) for c, d in zip(columns, chosen, strict=True)], out_spec)
