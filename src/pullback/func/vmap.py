"""Define `vmap`: run a function once on whole batches as if it were called on every row.

Its steps have torch's private names and are looked up in this module at each call: `torch._functorch.vmap` is
this module, and libraries with containers of their own put their steps in these places.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

from ..array.named_tuples import NamedTuple
from ..core.batched import Mapping, mappings
from ..core.levels import entered_level
from ..core.value import TensorBase, refresh, shape_of
from ..core.versions import version_of
from ..tensor.batching import enter, leave
from ..tensor.namespace import TOP_LEVEL
from ..tensor.random import get_rng_state, set_rng_state
from ..tensor.tensor import Tensor, checked_dim
from ..tensor.tree import TreeSpec, _broadcast_to_and_flatten, tree_flatten, tree_unflatten

P = ParamSpec("P")
R = TypeVar("R")


def _get_name(func: object) -> str:
    if hasattr(func, "__name__"):
        return str(func.__name__)
    if isinstance(func, functools.partial):
        return f"functools.partial({_get_name(func.func)}, ...)"
    return repr(func)


def vmap(
    func: Callable[P, R], in_dims: object = 0, out_dims: object = 0, randomness: str = "error", *,
    chunk_size: int | None = None
) -> Callable[P, R]:
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
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        _check_out_dims(func, out_dims)
        size, dims, leaves, spec = _process_batched_inputs(in_dims, args, func)

        def call(rows: list[Any], count: int) -> Any:
            return _run(func, rows, dims, spec, kwargs, count, out_dims, randomness)

        if chunk_size is None or chunk_size >= size:
            result: R = call(leaves, size)
        else:
            result = _in_chunks(call, leaves, dims, size, out_dims, randomness, chunk_size)
        return result

    return wrapped


def _process_batched_inputs(
    in_dims: object, args: tuple[object, ...], func: object
) -> tuple[int, list[int | None], list[Any], TreeSpec]:
    """Return the batch's size, the (non-negative) batch axis of each leaf, the leaves, and their nesting."""
    name = _get_name(func)
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
    leaves, spec = tree_flatten(args)
    if (chosen := _broadcast_to_and_flatten(in_dims, spec)) is None:
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure "
            f"of `inputs`. in_dims has structure {tree_flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    dims: list[int | None] = []
    for leaf, dim in zip(leaves, chosen, strict=True):
        if dim is not None and not isinstance(dim, int):
            raise ValueError(
                f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={dim} for an input but in_dim "
                "must be either an integer dimension or None."
            )
        if dim is not None and not isinstance(leaf, Tensor):
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
    return _batch_size(leaves, dims), dims, leaves, spec


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


def _check_out_dims(func: object, out_dims: object) -> None:
    for dim in tree_flatten(out_dims)[0]:
        if dim is not None and not isinstance(dim, int):
            raise ValueError(
                f"vmap({_get_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a "
                "python collection of ints representing where in the outputs the vmapped dimension should "
                "appear."
            )


def _run(
    func: Callable[..., object], leaves: list[Any], dims: list[int | None], spec: TreeSpec,
    kwargs: dict[str, Any], size: int, out_dims: object, randomness: str,
) -> Any:  # fmt: skip
    """Return the outputs for one batch, with its axis."""
    with entered_level() as level:
        token = mappings.set((*mappings.get(), Mapping(level, size, randomness)))
        entered = _entered.set([])
        try:
            outputs = func(*_create_batched_inputs(dims, leaves, level, spec), **kwargs)
            written = [pair for pair in _entered.get() if version_of(pair.inside)]
        finally:
            mappings.reset(token)
            _entered.reset(entered)
        for tensor, dim, inside in written:
            tensor.copy_(leave(inside, dim, size, level))
        return _unwrap_batched(outputs, out_dims, level, size, func)


def _create_batched_inputs(
    flat_in_dims: list[int | None], flat_args: list[Any], vmap_level: int, args_spec: TreeSpec
) -> Any:
    """Return the arguments with the batch axes hidden, nested as they were."""
    return tree_unflatten(
        [
            v if d is None else _add_batch_dim(v, d, vmap_level)
            for v, d in zip(flat_args, flat_in_dims, strict=True)
        ],
        args_spec,
    )


def _unwrap_batched(
    batched_outputs: object, out_dims: object, vmap_level: int, batch_size: int, func: object
) -> Any:
    """Return the outputs with the batch axis where `out_dims` has it."""
    results, spec = tree_flatten(batched_outputs)
    chosen = _output_dims(func, out_dims, spec)
    name = _get_name(func)
    return tree_unflatten(
        [
            _maybe_remove_batch_dim(name, value, vmap_level, batch_size, dim)
            for value, dim in zip(results, chosen, strict=True)
        ],
        spec,
    )


class _Entered(NamedTuple):
    """A tensor, the axis that is hidden, and what the function gets."""

    tensor: Any
    dim: int
    inside: Any


#: What the innermost vmap's function was given.
_entered: ContextVar[list[_Entered]] = ContextVar("pullback_entered")


def _add_batch_dim(tensor: object, in_dim: int, level: int) -> Any:
    """Hide an axis (non-negative) of a tensor from the function that a vmap runs."""
    inside = enter(tensor, in_dim, level)
    _entered.get().append(_Entered(tensor, in_dim, inside))
    return inside


def _remove_batch_dim(tensor: object, level: int, batch_size: int, out_dim: int) -> Any:
    """Show that axis again, as axis `out_dim`; a tensor without it is repeated `batch_size` times."""
    return leave(tensor, checked_dim(out_dim, len(shape_of(tensor)) + 1), batch_size, level)


def _output_dims(func: object, out_dims: object, out_spec: TreeSpec) -> list[Any]:
    """Return for each leaf of the outputs where its batch axis goes."""
    if out_spec.is_leaf() and isinstance(out_dims, tuple) and len(out_dims) == 1:
        return list(out_dims)
    if (chosen := _broadcast_to_and_flatten(out_dims, out_spec)) is None:
        raise ValueError(
            f"vmap({_get_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with "
            f"the structure of `outputs`. out_dims has structure {tree_flatten(out_dims)[1]} but outputs has "
            f"structure {out_spec}."
        )
    return chosen


def _maybe_remove_batch_dim(
    name: str, batched_output: object, vmap_level: int, batch_size: int, out_dim: int | None
) -> Any:
    """Return one output with its batch axis; None as its place says that every row has the same."""
    if out_dim is None:
        if isinstance(batched_output, TensorBase) and batched_output._level == vmap_level:
            raise ValueError(
                f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None"
            )
        return batched_output
    if not isinstance(batched_output, TensorBase):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(batched_output)}. Did you "
            "mean to set out_dims= to None for output?"
        )
    refresh(batched_output)
    return _remove_batch_dim(batched_output, vmap_level, batch_size, out_dim)


def _in_chunks(
    call: Callable[[list[Any], int], object], leaves: list[Any], dims: list[int | None], size: int,
    out_dims: Any, randomness: str, chunk: int,
) -> Any:  # fmt: skip
    """Return the outputs of several smaller batches, joined; "same" draws are the same in all of them."""
    state = get_rng_state() if randomness == "same" else None
    parts = []
    for start in range(0, size, chunk):
        if state is not None:
            set_rng_state(state)
        count = min(chunk, size - start)
        rows = [v if d is None else v.narrow(d, start, count) for v, d in zip(leaves, dims, strict=True)]
        done, out_spec = tree_flatten(call(rows, count))
        parts.append(done)
    chosen = _broadcast_to_and_flatten(out_dims, out_spec) or list(out_dims)
    columns = zip(*parts, strict=True)
    cat = TOP_LEVEL["cat"]
    return tree_unflatten([cat(list(c), d) for c, d in zip(columns, chosen, strict=True)], out_spec)
