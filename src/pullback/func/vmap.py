"""`vmap`: run a function once on whole batches as if it were called on every row."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..core.batched import Mapping, mappings
from ..core.dual import fresh_level
from ..core.value import TensorBase, shape_of
from ..core.versions import version_of
from ..tensor.batching import enter, leave
from ..tensor.random import get_rng_state, set_rng_state
from .tree import broadcast_prefix, flatten, unflatten


def _name(func: Any) -> str:
    return getattr(func, "__name__", repr(func))


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
        Which axis of each input is the batch; None for an input that every call gets whole.
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
        leaves, dims, spec = _inputs(func, in_dims, args)
        extra, extra_spec = flatten(kwargs)
        extra_dims = [0 if isinstance(v, TensorBase) else None for v in extra]
        size = _batch_size(leaves + extra, dims + extra_dims)
        if chunk_size is None or chunk_size >= size:
            return _run(func, leaves, dims, spec, extra, extra_dims, extra_spec, size, out_dims, randomness)
        return _in_chunks(
            func, leaves, dims, spec, extra, extra_dims, extra_spec, size, out_dims, randomness, chunk_size
        )

    return wrapped


def _inputs(func: Any, in_dims: Any, args: tuple[Any, ...]) -> tuple[list[Any], list[int | None], Any]:
    """The leaves of the arguments, the batch axis of each (non-negative), and how they are nested."""
    name = _name(func)
    if not isinstance(in_dims, (int, tuple, list)) or isinstance(in_dims, bool):
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
            "of `inputs`."
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


def _run(
    func: Any, leaves: list[Any], dims: list[int | None], spec: Any, extra: list[Any],
    extra_dims: list[int | None], extra_spec: Any, size: int, out_dims: Any, randomness: str,
) -> Any:  # fmt: skip
    level = fresh_level()
    inside = [v if d is None else enter(v, d, level) for v, d in zip(leaves, dims, strict=True)]
    inside_extra = [v if d is None else enter(v, d, level) for v, d in zip(extra, extra_dims, strict=True)]
    token = mappings.set((*mappings.get(), Mapping(level, size, randomness)))
    try:
        outputs = func(*unflatten(inside, spec), **unflatten(inside_extra, extra_spec))
    finally:
        mappings.reset(token)
    for before, after, dim in zip(leaves, inside, dims, strict=True):
        if dim is not None and version_of(after):
            before.copy_(leave(after, dim, size, level))
    results, out_spec = flatten(outputs)
    name = _name(func)
    chosen = broadcast_prefix(out_dims, out_spec)
    if chosen is None and len(results) == 1 and isinstance(out_dims, tuple) and len(out_dims) == 1:
        chosen = list(out_dims)
    if chosen is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the "
            "structure of `outputs`."
        )
    done = []
    for value, dim in zip(results, chosen, strict=True):
        if dim is None:
            done.append(value)
            continue
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
        done.append(leave(value, dim % rank, size, level))
    return unflatten(done, out_spec)


def _in_chunks(
    func: Any, leaves: list[Any], dims: list[int | None], spec: Any, extra: list[Any],
    extra_dims: list[int | None], extra_spec: Any, size: int, out_dims: Any, randomness: str,
    chunk: int,
) -> Any:  # fmt: skip
    from ..tensor.namespace import TOP_LEVEL

    cat = TOP_LEVEL["cat"]
    parts = []
    state = get_rng_state() if randomness == "same" else None
    for start in range(0, size, chunk):
        if state is not None:
            set_rng_state(state)
        count = min(chunk, size - start)
        rows = [v if d is None else v.narrow(d, start, count) for v, d in zip(leaves, dims, strict=True)]
        extra_rows = [
            v if d is None else v.narrow(d, start, count) for v, d in zip(extra, extra_dims, strict=True)
        ]
        parts.append(
            flatten(
                _run(func, rows, dims, spec, extra_rows, extra_dims, extra_spec, count, out_dims, randomness)
            )
        )
    out_spec = parts[0][1]
    chosen = broadcast_prefix(out_dims, out_spec) or list(out_dims)
    columns = zip(*(p[0] for p in parts), strict=True)
    return unflatten([cat(list(c), d) for c, d in zip(columns, chosen, strict=True)], out_spec)
