"""Run exchanges of a parallel module that reduce no gradients: equal models, buffers, numbers."""

from collections.abc import Iterable, Sequence
from typing import Any

from ...autograd.grad_mode import no_grad
from ...core.process_group import ProcessGroup
from ...tensor.creation import tensor, zeros
from ...tensor.join import cat
from ...tensor.sparse import sparse_coo_tensor
from .buckets import compute_bucket_assignment_by_size

#: How many bytes of parameters and buffers are sent at once.
BROADCAST_BYTES = 250 * 1024 * 1024


def broadcast(group: ProcessGroup, value: Any, source: int) -> None:
    """Put the value that process `source` of the group has into a tensor of all."""
    group.broadcast(value, source).wait()


def all_gathered(group: ProcessGroup, value: Any) -> list[Any]:
    """Return the values that all processes of a group have, of one shape and dtype."""
    parts = [zeros(value.shape, dtype=value.dtype) for _ in range(group.size())]
    group.allgather(parts, value).wait()
    return parts


def gathered_numbers(group: ProcessGroup, numbers: Sequence[int]) -> list[list[int]]:
    """Return the whole numbers of each process, which may have different amounts of them."""
    counts = [int(part[0]) for part in all_gathered(group, tensor([len(numbers)]))]
    padded = tensor([*numbers, *[0] * (max(counts) - len(numbers))] or [0])
    return [part.tolist()[:count] for part, count in zip(all_gathered(group, padded), counts, strict=True)]


def copy_apart(flat: Any, tensors: Sequence[Any]) -> None:
    """Copy the stretches of a vector into tensors, in order."""
    start = 0
    for t in tensors:
        count = t.numel()
        t.copy_(flat[start : start + count].view(t.shape))
        start += count


@no_grad()
def broadcast_coalesced(
    group: ProcessGroup, tensors: Iterable[Any], buffer_size: int = BROADCAST_BYTES, source: int = 0
) -> None:
    """Put the values that one process has into tensors of all, many in one message.

    Parameters
    ----------
    group : ProcessGroup
    tensors : iterable of Tensor
    buffer_size : int
        How many bytes are sent at once.
    source : int
        The rank within the group.
    """
    # no version counts: a graph that has saved a buffer is not stale because the same value comes again
    values = [t.detach().data for t in tensors]
    if not values or group.size() == 1:
        return
    for numbers in compute_bucket_assignment_by_size(values, [buffer_size])[0]:
        part = [values[n] for n in numbers]
        flat = cat([t.reshape(-1) for t in part])
        broadcast(group, flat, source)
        if group.rank() == source:
            continue
        copy_apart(flat, part)


def sync_module_states(
    module: Any, group: ProcessGroup, ignored: set[str], *, buffers: bool, source: int = 0
) -> None:
    """Give the parameters and buffers of one process to all."""
    values = [p for name, p in module.named_parameters() if name not in ignored]
    if buffers:
        values += [b for name, b in module.named_buffers() if name not in ignored]
    broadcast_coalesced(group, values, BROADCAST_BYTES, source)


def verify_params_across_processes(
    group: ProcessGroup, parameters: Sequence[Any], logger: Any = None
) -> None:
    """Raise unless all processes have parameters of the same shapes and strides.

    Raises
    ------
    RuntimeError
        In every process, so that none waits for the others.
    """
    rank = group.rank()
    counts = [numbers[0] for numbers in gathered_numbers(group, [len(parameters)])]
    for other, count in enumerate(counts):
        if count != len(parameters):
            raise RuntimeError(
                f"DDP expects same model across all ranks, but Rank {rank} has {len(parameters)} params, "
                f"while rank {other} has inconsistent {count} params."
            )
    described = [n for p in parameters for n in (p.dim(), *p.shape, *p.stride())]
    everywhere = gathered_numbers(group, described)
    for other, numbers in enumerate(everywhere):
        if numbers == everywhere[0]:
            continue
        here = rank if rank and everywhere[rank] != everywhere[0] else other
        index, what, value = _difference(everywhere[here], everywhere[0])
        place = "this process" if here == rank else f"process {here}"
        raise RuntimeError(
            f"[{rank}]: params[{index}] in {place} with {what} {value} appears not to match {what} of the "
            "same param in process 0."
        )


def _difference(numbers: list[int], expected: list[int]) -> tuple[int, str, list[int]]:
    """Return the first parameter that differs, in what, and what it has."""
    place, index = 0, 0
    while True:
        dims = numbers[place]
        sizes = numbers[place + 1 : place + 1 + dims]
        strides = numbers[place + 1 + dims : place + 1 + 2 * dims]
        if expected[place] != dims or expected[place + 1 : place + 1 + dims] != sizes:
            return index, "sizes", sizes
        if expected[place + 1 + dims : place + 1 + 2 * dims] != strides:
            return index, "strides", strides
        place, index = place + 1 + 2 * dims, index + 1


def all_reduced_sparse(group: ProcessGroup, value: Any) -> Any:
    """Return the sum of the sparse tensors that the processes of a group have."""
    value = value.coalesce()
    indices, values = value.indices(), value.values()
    counts = [numbers[0] for numbers in gathered_numbers(group, [indices.shape[1]])]
    missing = max(counts) - indices.shape[1]
    padded_indices = cat([indices, zeros(indices.shape[0], missing, dtype=indices.dtype)], 1)
    padded_values = cat([values, zeros(missing, *values.shape[1:], dtype=values.dtype)])
    every_index = all_gathered(group, padded_indices.contiguous())
    every_value = all_gathered(group, padded_values.contiguous())
    return sparse_coo_tensor(
        cat([part[:, :count] for part, count in zip(every_index, counts, strict=True)], 1),
        cat([part[:count] for part, count in zip(every_value, counts, strict=True)]),
        value.shape,
    ).coalesce()
