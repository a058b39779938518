"""Define pools with torch's arguments. One axis is pooled as two, the first of length 1, as in torch."""

from collections.abc import Callable, Iterable
from functools import cache, wraps
from typing import Any

from ...array import dtypes
from ...array.dtype_words import type_word
from ...array.pool import SMALL, Windows, max_values
from ...core.modes import modes
from ...core.value import dtype_of, shape_of, wrap
from ...errors import argument_type, with_name
from ...ops import pool as ops
from ...ops.structure import unsafe_view
from ...ops.view import squeeze_dim, unsqueeze
from ...tensor.api import public
from ...tensor.memory_format import contiguous
from ...tensor.sizes import tensor
from ...tensor.unrecorded import arrays
from .loss_reduction import functional, mirrored
from .pool_checks import adaptive_size, check_kind, windows_of

_F = Callable[..., Any]


@cache
def _lifted(windows: Windows) -> Windows:
    """Return windows over one axis as windows over two."""
    return Windows(
        (1, *windows.kernel),
        (1, *windows.stride),
        (0, *windows.padding),
        (1, *windows.dilation),
        windows.ceil_mode,
    )


def or_with_indices(indexed: _F) -> Callable[[_F], _F]:
    """Declare a pool that is another function where `return_indices` says so: in torch they are two, and
    errors have their names.
    """

    def declare(function: _F) -> _F:
        place = function.__code__.co_varnames.index("return_indices")

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            wanted = args[place] if len(args) > place else kwargs.get("return_indices")
            return (indexed if wanted else function)(*args, **kwargs)

        function.__qualname__ = f"_{function.__name__}"
        return mirrored(call)

    return declare


def pair_of(name: str, declare: Callable[[_F], _F], indexed: _F, pool: _F, text: str) -> tuple[_F, _F]:
    """Declare a pool's function that returns the places of the maxima too, and the one that may."""
    places = f"Return :func:`{name}` and the places of the maxima, whatever `return_indices` says."
    first = declare(with_name(indexed, f"{name}_with_indices", places))
    return first, or_with_indices(first)(with_name(pool, name, text))


def _max_pool(
    x: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, return_indices: bool,
    rank: int
) -> Any:
    windows = windows_of(
        x, kernel, stride, padding, dilation, ceil_mode, rank, f"max_pool{rank}d", True, return_indices
    )
    # torch has a kernel of its own for this, which takes C order and whose result is no view.
    own = rank == 1 and not return_indices and not (modes().grad and x.requires_grad)
    check_kind(x, "fV" if own else "fiuV", "max_pool1d_impl" if own else f"max_pool{max(rank, 2)}d")
    alone = len(shape_of(x)) == rank + 1
    if rank == 1:
        windows = _lifted(windows)
    call: Any = ops.max_pool_3d if rank == 3 else ops.max_pool_2d
    plain = None if return_indices else arrays(x)
    if plain and plain[0].size < SMALL and plain[0].flags.c_contiguous and 0 not in plain[0].shape:
        # Which tap won only backward asks.
        array = plain[0][None] if alone else plain[0]
        array = array[:, :, None] if rank == 1 else array
        values = wrap(call.op.place(max_values(array, windows), (array,)))
    else:
        if alone:
            x = unsqueeze(x, 0)
        if rank == 1:
            x = unsqueeze(contiguous(x) if own else x, 2)
        values, winners = call(x, windows)
    if own:
        lead = () if alone else shape_of(values)[:1]
        return unsafe_view(values, (*lead, shape_of(values)[1], shape_of(values)[3]))
    results = [values]
    if return_indices:
        indices = ops.winner_indices(winners, windows, shape_of(x)[2:])
        indices._counter = winners._counter  # torch's node saves the indices, and sees writes to them
        results.append(indices)
    if rank == 1:
        results = [squeeze_dim(r, 2) for r in results]
    if alone:
        results = [squeeze_dim(r, 0) for r in results]
    return tuple(results) if return_indices else results[0]


def _avg_pool(
    x: Any, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool, divisor: Any,
    rank: int
) -> Any:
    if isinstance(divisor, bool | float):
        raise argument_type(f"avg_pool{rank}d", "divisor_override", None, "int", divisor)
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    windows = windows_of(x, kernel, stride, padding, 1, ceil_mode, rank, f"avg_pool{rank}d", False)
    if dtype_of(x) != dtypes.int64.numpy:
        check_kind(x, "fV", "avg_pool3d_out_frame" if rank == 3 else "avg_pool2d", halves=rank != 3)
    alone = len(shape_of(x)) == rank + 1
    if alone:
        x = unsqueeze(x, 0)
    if rank == 1:
        x = unsqueeze(x, 2)
        windows = _lifted(windows)
    call = ops.avg_pool_3d if rank == 3 else ops.avg_pool_2d
    y = call(x, windows, bool(count_include_pad), divisor)
    if rank == 1:
        y = squeeze_dim(y, 2)
    return squeeze_dim(y, 0) if alone else y


def _max_pools(rank: int, axes: str) -> tuple[_F, _F]:
    """Declare the two functions of maxima over windows of some number of axes."""

    def indexed(
        input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        ceil_mode: bool = False, return_indices: bool = False,
    ) -> Any:  # fmt: skip
        if rank == 3 and input.is_cuda:
            raise NotImplementedError("pullback computes on the CPU")
        return _max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, True, rank)

    def pool(
        input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        ceil_mode: bool = False, return_indices: bool = False,
    ) -> Any:  # fmt: skip
        return _max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, rank)

    text = f"Return the largest value of each window of {axes}."
    return pair_of(f"max_pool{rank}d", mirrored if rank == 3 else functional, indexed, pool, text)


max_pool1d_with_indices, max_pool1d = _max_pools(1, "one axis: (N, C, L) -> (N, C, L')")
max_pool2d_with_indices, max_pool2d = _max_pools(2, "two axes: (N, C, H, W) -> (N, C, H', W')")
max_pool3d_with_indices, max_pool3d = _max_pools(3, "three axes")


@public(namespace="nn.functional", method=False, out=False)
def avg_pool1d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:  # fmt: skip
    """Return the mean of each window of one axis: (N, C, L) -> (N, C, L')."""
    return _avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, None, 1)


@public(namespace="nn.functional", method=False)
def avg_pool2d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Any:  # fmt: skip
    """Return the mean of each window of two axes: (N, C, H, W) -> (N, C, H', W')."""
    return _avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 2)


@public(namespace="nn.functional", method=False)
def avg_pool3d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Any:  # fmt: skip
    """Return the mean of each window of three axes."""
    return _avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 3)


def _adaptive(x: Any, output_size: Any, rank: int, call: Any, is_max: bool = False) -> Any:
    function = f"adaptive_{'max' if is_max else 'avg'}_pool{rank}d"
    size = adaptive_size(x, output_size, rank, function, is_max)
    kernel = "adaptive_max_pool3d_cpu" if is_max and rank == 3 else function.replace("1d", "2d")
    check_kind(x, "fV", kernel)
    alone = len(shape_of(x)) == rank + 1
    if alone:
        x = unsqueeze(x, 0)
    if rank == 1:
        x = unsqueeze(x, 2)
        size = (1, *size)
    result = call(x, size)
    parts = list(result) if isinstance(result, tuple) else [result]
    if rank == 1:
        parts = [squeeze_dim(p, 2) for p in parts]
    if alone:
        parts = [squeeze_dim(p, 0) for p in parts]
    return tuple(parts) if isinstance(result, tuple) else parts[0]


@public(namespace="nn.functional", method=False, out=False)
def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    """Return means over `output_size` windows of nearly equal length, one axis."""
    return _adaptive(input, output_size, 1, _mean_or_pool)


def _mean_or_pool(x: Any, size: tuple[int, ...]) -> Any:
    """Return means over windows of two axes; one window is a mean, whose covector does not read `x`."""
    return x.mean((-1, -2), True) if size == (1, 1) else ops.adaptive_avg_pool_2d(x, size)


@mirrored
def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """Return means over `output_size` windows of nearly equal length, two axes."""
    one = type(output_size) is int and output_size == 1
    listed = isinstance(output_size, (list, tuple)) and list(output_size) == [1, 1]
    # torch asks of one number no more than that there are two axes.
    if len(input.size()) >= 2 and (one or (listed and len(input.size()) > 2)):
        return input.mean((-1, -2), True)
    return _adaptive(input, output_size, 2, ops.adaptive_avg_pool_2d)


@mirrored
def adaptive_avg_pool3d(input: Any, output_size: Any) -> Any:
    """Return means over `output_size` windows of nearly equal length, three axes."""
    one = type(output_size) is int and output_size == 1
    if (one or (isinstance(output_size, (list, tuple)) and list(output_size) == [1, 1, 1])) and (
        len(input.size()) in (4, 5)
    ):
        return input.mean((-1, -2, -3), True)
    return _adaptive(input, output_size, 3, ops.adaptive_avg_pool_3d)


def _adaptive_max(x: Any, output_size: Any, return_indices: bool, rank: int) -> Any:
    call = ops.adaptive_max_pool_3d if rank == 3 else ops.adaptive_max_pool_2d
    values, indices = _adaptive(x, output_size, rank, call, True)
    return (values, indices) if return_indices else values


def _adaptive_max_pools(rank: int, axes: str) -> tuple[_F, _F]:
    """Declare the two functions of maxima over as many windows as asked, of some number of axes."""

    def indexed(input: Any, output_size: Any, return_indices: bool = False) -> Any:
        return _adaptive_max(input, output_size, True, rank)

    def pool(input: Any, output_size: Any, return_indices: bool = False) -> Any:
        return _adaptive_max(input, output_size, return_indices, rank)

    text = f"Return maxima over `output_size` windows of nearly equal length, {axes}."
    return pair_of(f"adaptive_max_pool{rank}d", functional, indexed, pool, text)


adaptive_max_pool1d_with_indices, adaptive_max_pool1d = _adaptive_max_pools(1, "one axis")
adaptive_max_pool2d_with_indices, adaptive_max_pool2d = _adaptive_max_pools(2, "two axes")
adaptive_max_pool3d_with_indices, adaptive_max_pool3d = _adaptive_max_pools(3, "three axes")


# --- the inverse of a maximum pool --------------------------------------------------------------------------


def _unpooled_size(
    size: tuple[int, ...], kernel: Any, stride: Any, padding: Any, output_size: Any, rank: int
) -> Any:
    """Return the size the places belong to: the least that pools to `size`, or `output_size` if it fits."""
    kernel, padding = _each(kernel, rank), _each(padding, rank)
    stride = kernel if stride is None else _each(stride, rank)
    rank = len(kernel)
    # By places, as torch does: wrong arguments then fail as they do there.
    least = [(size[d - rank] - 1) * stride[d] + kernel[d] - 2 * padding[d] for d in range(rank)]
    if output_size is None:
        return tuple(least)
    wanted = output_size
    if len(wanted) == rank + 2:
        wanted = wanted[2:]
    if len(wanted) != rank:
        raise ValueError(
            f"output_size should be a sequence containing {rank} or {rank + 2} elements, but it has a length "
            f"of '{len(wanted)}'"
        )
    for d in range(rank):
        low, high = least[d] - stride[d], least[d] + stride[d]
        if not low < wanted[d] < high:
            raise ValueError(f'invalid output_size "{wanted}" (dim {d} must be between {low} and {high})')
    return wanted


def _each(value: Any, rank: int) -> tuple[int, ...]:
    return tuple(value) if isinstance(value, Iterable) else (value,) * rank


def _max_unpool(
    x: Any, indices: Any, kernel: Any, stride: Any, padding: Any, output_size: Any, rank: int
) -> Any:
    size = _unpooled_size(x.size(), kernel, stride, padding, output_size, rank)
    if rank == 1:
        y = _put_back(x.unsqueeze(-1), indices.unsqueeze(-1), (*size, 1), 2)
        return squeeze_dim(y, len(shape_of(x)))
    return _put_back(x, indices, size, rank)


def _put_back(x: Any, indices: Any, size: tuple[int, ...], rank: int) -> Any:
    tensor(f"max_unpool{rank}d", "indices", indices, 2)
    shape = shape_of(x)
    if str(dtype_of(indices)) != "int64":
        found = "" if rank == 3 else f" but got: {type_word(dtype_of(indices))}"
        raise RuntimeError(f"elements in indices should be type int64{found}")
    if len(size) != rank:
        axes = "two elements (height, width)" if rank == 2 else "three elements (depth, height, width)"
        raise RuntimeError(f"There should be exactly {axes} in output_size, but got {len(size)} elements.")
    if len(shape) not in (rank + 1, rank + 2):
        raise RuntimeError(
            f"Input to max_unpooling{rank}d should be a {rank + 1}d or {rank + 2}d Tensor, but got a tensor "
            f"with {len(shape)} dimensions."
        )
    if shape_of(indices) != shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(shape)}) but got "
            f"indices tensor with shape: {list(shape_of(indices))}"
        )
    if 0 in shape[1:]:
        raise RuntimeError(
            f"max_unpooling{rank}d_forward_out_cpu(): Expected input to have non-zero size for non-batch "
            f"dimensions, but got {list(shape)} with dimension {shape.index(0, 1)} being empty."
        )
    return (ops.max_unpool_3d if rank == 3 else ops.max_unpool_2d)(x, indices, size)


def _declare_unpool(rank: int) -> _F:
    """Declare the inverse of a maximum pool over some number of axes."""

    def unpool(
        input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
        output_size: Any = None,
    ) -> Any:  # fmt: skip
        return _max_unpool(input, indices, kernel_size, stride, padding, output_size, rank)

    text = f"Put maxima back where `max_pool{rank}d` found them; zeros elsewhere."
    return mirrored(with_name(unpool, f"max_unpool{rank}d", text))


max_unpool1d, max_unpool2d, max_unpool3d = map(_declare_unpool, (1, 2, 3))
