"""torch.distributed.pipelining.microbatch: cut a batch into microbatches, and put results together again."""

from collections.abc import Callable, Mapping
from typing import Any

from ...core.value import TensorBase, shape_of
from ...tensor.join import cat
from ...tensor.parts import tensor_split
from ...tensor.tree import tree_flatten, tree_map, tree_unflatten


class TensorChunkSpec:
    """Say that a tensor is cut into microbatches along its dimension `split_dim`."""

    def __init__(self, split_dim: int) -> None:
        self.split_dim = split_dim

    def __repr__(self) -> str:
        return f"torch.distributed.pipelining.microbatch.TensorChunkSpec({self.split_dim})"

    def __str__(self) -> str:
        return f"TensorChunkSpec({self.split_dim})"

    @staticmethod
    def from_tuple(chunk_dims: tuple[int, ...]) -> Any:
        """Return nested dimensions as specifications."""
        return tree_map(TensorChunkSpec, chunk_dims)

    @staticmethod
    def from_dict(chunk_dims: dict[str, int]) -> Any:
        """Return dimensions by name as specifications."""
        return tree_map(TensorChunkSpec, chunk_dims)


class _Replicate:
    """Say that every microbatch gets the value itself."""


class _CustomReducer:
    """Say that the values of microbatches are reduced by a function, from a first value on."""

    def __init__(self, init_value: Any, reduce_fn: Callable[[Any, Any], Any]) -> None:
        self.init_value = init_value
        self.reduce_fn = reduce_fn


def split_tensor(tensor: Any, spec: TensorChunkSpec, num_chunks: int) -> list[Any]:
    """Return a tensor in parts; those of a leaf keep their gradients."""
    if tensor.size(spec.split_dim) < num_chunks:
        raise AssertionError(f"Tensor size {tensor.size(spec.split_dim)} is smaller than num_chunks")
    parts = list(tensor_split(tensor, num_chunks, spec.split_dim))
    if tensor.requires_grad and tensor.is_leaf:
        for part in parts:
            part.retain_grad()
    return parts


def _replicates(spec: Any) -> bool:
    return spec is _Replicate or isinstance(spec, _Replicate)


def _split_values(given: dict[Any, Any], specs: Any, count: int) -> list[dict[Any, Any]]:
    """Return for each of at most `count` microbatches its part of nested values."""
    if not given:
        return [{} for _ in range(count)]
    if len(given) != len(specs):
        raise AssertionError(f"args_dict.keys() = {list(given)} args_chunk_spec.keys() = {list(specs)}")
    values, structure = tree_flatten(given)
    flat_specs, _ = tree_flatten(specs)
    for value, spec in zip(values, flat_specs, strict=True):
        if _replicates(spec):
            continue
        if not isinstance(value, TensorBase):
            raise ValueError(f"Unsupported chunk spec: {spec} and value: {value} combination.")
        if not isinstance(spec, TensorChunkSpec):
            raise AssertionError(f"Expected TensorChunkSpec, got {type(spec)}")
        count = min(count, shape_of(value)[spec.split_dim])
    parts = [
        [value] * count if _replicates(spec) else split_tensor(value, spec, count)
        for value, spec in zip(values, flat_specs, strict=True)
    ]
    return [tree_unflatten([part[number] for part in parts], structure) for number in range(count)]


def _default(value: Any) -> Any:
    return TensorChunkSpec(0) if isinstance(value, TensorBase) else _Replicate()


def split_args_kwargs_into_chunks(
    args: tuple[Any, ...], kwargs: dict[str, Any] | None, chunks: int,
    args_chunk_spec: tuple[Any, ...] | None = None, kwargs_chunk_spec: Mapping[str, Any] | None = None,
) -> tuple[list[tuple[Any, ...]], list[dict[str, Any]]]:  # fmt: skip
    """Return the arguments of each microbatch.

    Parameters
    ----------
    args : tuple
    kwargs : dict, optional
    chunks : int
        How many microbatches; there are fewer where a tensor is shorter.
    args_chunk_spec, kwargs_chunk_spec : optional
        A `TensorChunkSpec` for each tensor, nested as the arguments are. By default tensors are cut along
        dimension 0, and other values go to all.

    Returns
    -------
    (list of tuple, list of dict)
    """
    kwargs = kwargs or {}
    specs = tree_map(_default, args) if args_chunk_spec is None else args_chunk_spec
    named_specs = tree_map(_default, kwargs) if kwargs_chunk_spec is None else kwargs_chunk_spec
    numbered, numbered_specs = dict(enumerate(args)), dict(enumerate(specs))
    split = _split_values(numbered, numbered_specs, chunks)
    named = _split_values(kwargs, named_specs, len(split))
    if len(named) < len(split):
        split = _split_values(numbered, numbered_specs, len(named))
    if len(split) != len(named):
        raise RuntimeError(
            f"args and kwargs are split into different number of chunks: {len(split)}, {len(named)}"
        )
    return [tuple(part[number] for number in range(len(part))) for part in split], named


def merge_chunks(chunks: list[Any], chunk_spec: Any) -> Any:
    """Return the results of microbatches as one.

    Parameters
    ----------
    chunks : list
    chunk_spec : optional
        How each value is put together, nested as the results are; by default along dimension 0.
    """
    if chunk_spec is None:
        flat, structure = tree_flatten(chunks[0])
        specs: list[Any] = [TensorChunkSpec(0)] * len(flat)
    else:
        specs, structure = tree_flatten(chunk_spec)
    rows = [tree_flatten(chunk)[0] for chunk in chunks]
    for chunk, row in zip(chunks, rows, strict=True):
        if len(row) != len(specs):
            raise ValueError(f"Chunk {chunk} did not match chunk spec {chunk_spec}")
    merged = []
    for spec, column in zip(specs, zip(*rows, strict=True), strict=True):
        if isinstance(spec, TensorChunkSpec):
            merged.append(cat(list(column), dim=spec.split_dim))
        elif isinstance(spec, _CustomReducer):
            value = spec.init_value
            for one in column:
                value = spec.reduce_fn(value, one)
            merged.append(value)
        else:
            for one in column[1:]:
                if one != column[0]:
                    raise AssertionError(f"Expected {column[0]}, got {one}")
            merged.append(column[0])
    return tree_unflatten(merged, structure)


__all__ = ["TensorChunkSpec", "merge_chunks", "split_args_kwargs_into_chunks"]
