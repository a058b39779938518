"""Say what convolutions and their transposes refuse, in torch's words.

What this module must do:

- check sizes in torch's order, before any kernel is chosen;
- refuse dtypes as the kernel that torch would choose does: oneDNN's for float32 of more than a little work
  and for bfloat16, else the plain one.
"""

from math import prod
from typing import Any

from ...array import dtypes
from ...array.dtype_words import c_name, class_name, not_implemented, unlike
from ...core.graph_errors import unsafe_result
from ...core.value import TensorBase, dtype_of, shape_of
from ...errors import with_note


def check_operands(x: Any, w: Any, b: Any, bias_first: bool) -> None:
    """Check what torch looks at before any size: that these are tensors, and what does not go together.

    `bias_first`: the bias's dtype is compared with the input's at once, which torch does of a convolution
    whose padding is in numbers.
    """
    if not (
        isinstance(x, TensorBase) and isinstance(w, TensorBase) and (b is None or isinstance(b, TensorBase))
    ):
        raise TypeError("input, weight and bias must be Tensors")
    kind = dtype_of(x)
    if bias_first and b is not None and dtype_of(b) != kind:
        raise RuntimeError(
            f"Input type ({c_name(kind)}) and bias type ({c_name(dtype_of(b))}) should be the same"
        )
    if kind.kind == "c":
        for name, other in (("weight", w), ("bias", b)):
            if other is not None and dtype_of(other) != kind:
                raise RuntimeError(
                    f"Input type ({class_name(kind)}) and {name} type ({class_name(dtype_of(other))}) should "
                    "be the same"
                )


def check_shapes(
    x: Any, w: Any, b: Any, rank: int, groups: int, transposed: bool, stride: tuple[int, ...],
    padding: tuple[int, ...] | str, dilation: tuple[int, ...],
) -> bool:  # fmt: skip
    """Check shapes; return whether the input has no axis of images."""
    shape, weight = shape_of(x), shape_of(w)
    if len(shape) not in (rank + 1, rank + 2):
        raise RuntimeError(
            f"Expected {rank + 1}D (unbatched) or {rank + 2}D (batched) input to "
            f"conv{'_transpose' if transposed else ''}{rank}d, but got input of size: {list(shape)}"
        )
    if len(weight) < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if len(weight) != rank + 2:
        if padding == "same" or rank == 1:
            batched = list(shape) if len(shape) == rank + 2 else [1, *shape]
            raise RuntimeError(
                f"Expected {len(weight)}-dimensional input for {len(weight)}-dimensional "
                f"weight{'' if padding == 'same' else ' '}{list(weight)}, but got {rank + 2}-dimensional "
                f"input of size {batched} instead"
            )
        raise RuntimeError(
            f"expected stride to be a single integer value or a list of {len(weight) - 2} values to match "
            f"the convolution dimensions, but got stride={list(stride)}"
        )
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if any(n <= 0 for n in stride):
        raise RuntimeError("non-positive stride is not supported")
    if not isinstance(padding, str) and any(n < 0 for n in padding):
        raise RuntimeError("negative padding is not supported")
    if any(n < 0 for n in dilation):
        raise RuntimeError("dilation should be greater than zero")
    _check_channels(x, w, b, rank, groups, transposed)
    return len(shape) == rank + 1


def _check_channels(x: Any, w: Any, b: Any, rank: int, groups: int, transposed: bool) -> None:
    """Check that the channels of the input, the weight and the bias go together."""
    shape, weight = shape_of(x), shape_of(w)
    channels = shape[-rank - 1]
    want = weight[0] if transposed else weight[1] * groups
    if weight[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight "
            f"of size {list(weight)} instead"
        )
    if weight[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got "
            f"weight of size [{list(weight)}] instead"
        )
    if channels != want:
        kind = "transposed=1" if transposed else f"groups={groups}"
        shown = list(shape) if len(shape) == rank + 2 else [1, *shape]
        raise with_note(
            RuntimeError(
                f"Given {kind}, weight of size {list(weight)}, expected input{shown} to have "
                f"{want} channels, but got {channels} channels instead"
            ),
            "A convolution's input is (images, channels, …); the weight says how many channels it takes.",
        )
    if b is not None:
        outputs = weight[1] * groups if transposed else weight[0]
        if shape_of(b) != (outputs,):
            raise RuntimeError(
                f"Given {'transposed=1, ' if transposed else ''}weight of size {list(weight)}, expected bias "
                f"to be 1-dimensional with {outputs} elements, but got bias of size {list(shape_of(b))} "
                "instead"
            )


_BOOL_AND_RARE = dtypes.FLOAT8_NUMPY | {
    kind.numpy for kind in (dtypes.bool, dtypes.uint16, dtypes.uint32, dtypes.uint64)
}
_SMALL = {kind.numpy for kind in (dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32)}


def check_not_empty(x: Any, rank: int, alone: bool) -> None:
    """Refuse images without pixels; no images at all, or none of their channels, are allowed."""
    shape = shape_of(x)
    if 0 in shape[-rank:] and 0 not in shape[:-rank]:
        lifted = [*([1] * alone), *shape[:-rank], *([1] * (rank == 1)), *shape[-rank:]]
        raise RuntimeError(
            f"Only zero batch or zero channel inputs are supported, but got input shape: {lifted}"
        )


def uses_onednn(
    x: Any, w: Any, alone: bool, stride: tuple[int, ...], groups: int, output_padding: tuple[int, ...]
) -> bool:
    """Return whether torch hands a convolution to oneDNN, which has texts of its own."""
    kind, shape, kernel = str(dtype_of(x)), shape_of(x), shape_of(w)[2:]
    images = 1 if alone else shape[0]
    if any(o >= s for o, s in zip(output_padding, stride)):
        return False
    large = len(kernel) > 1 and kernel[-1] > 3 and kernel[-2] > 3
    much = images > 1 or groups > 1 or large or prod(shape[: 3 if alone else 4]) > 20480
    return kind == "bfloat16" or (kind == "float32" and much)


def check_kinds(x: Any, w: Any, b: Any, rank: int, transposed: bool, dilated: bool, onednn: bool) -> None:
    """Raise what the kernel says of its operands' dtypes, where they are not all one that it takes."""
    kind = dtype_of(x)
    if onednn:
        for name, other in (("weight", w), ("bias", b)):
            if other is not None and dtype_of(other) != kind:
                raise RuntimeError(
                    f"Input type ({class_name(kind)}) and {name} type ({class_name(dtype_of(other))}) should "
                    f"be the same or input should be a MKLDNN tensor and {name} is a dense tensor"
                )
    if kind in (_BOOL_AND_RARE | _SMALL if dilated or transposed else _BOOL_AND_RARE):
        dims = max(rank, 2)
        kernel = f"slow_conv_transpose{dims}d_out_cpu" if transposed else f"slow_conv{dims}d_cpu"
        if dilated and not transposed:
            kernel = "slow_conv_dilated<>"
        elif rank == 3 and not transposed and any(n != 1 for n in shape_of(w)[2:]):
            kernel = "compute_columns3d"
        raise not_implemented(kernel, kind)
    if dtype_of(w) != kind:
        raise unlike(kind, dtype_of(w))
    if b is None or dtype_of(b) == kind or not transposed:
        return
    # The plain kernels add a bias at the end; that over three axes is given it.
    if rank == 3:
        raise unlike(kind, dtype_of(b))
    own, other = dtypes.from_numpy_dtype(kind), dtypes.from_numpy_dtype(dtype_of(b))
    promoted = dtypes.promote_types(own, other)
    if not dtypes.can_cast(promoted, own):
        raise unsafe_result(promoted.numpy, kind)


def check_dilation(dilation: tuple[int, ...], onednn: bool, transposed: bool) -> None:
    """Refuse a dilation of zero, of which each kernel says so in its own words."""
    if 0 not in dilation:
        return
    if onednn:
        raise RuntimeError("non-positive dilation is not supported")
    if transposed:
        raise RuntimeError(
            f"dilation should be greater than zero, but got {by_axis('dilation', dilation, 1, ', ')}"
        )
    shown = [1, *dilation] if len(dilation) == 1 else list(dilation)
    raise RuntimeError(f"dilation should be greater than zero, but got {shown}")


def by_axis(name: str, values: tuple[int, ...], lifted: int, comma: str = " ") -> str:
    """Return each axis's number as torch spells it; one axis is shown as two, first the number `lifted`."""
    shown = (lifted, *values) if len(values) == 1 else values
    axes = ("depth", "height", "width")[-len(shown) :]
    return comma.join(f"{name}_{axis}: {n}" for axis, n in zip(axes, shown, strict=True))


def check_reach(
    size: tuple[int, ...], kernel: tuple[int, ...], padding: tuple[int, ...], dilation: tuple[int, ...]
) -> None:
    """Refuse a kernel that reaches beyond the padded image."""
    padded = [n + 2 * p for n, p in zip(size, padding, strict=True)]
    reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    if any(n < r for n, r in zip(padded, reach, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, padded))}). Kernel size: "
            f"({' x '.join(map(str, reach))}). Kernel size can't be greater than actual input size"
        )


def check_kernel(weight: tuple[int, ...], transposed: bool, dilated: bool) -> None:
    """Refuse a kernel of no size."""
    if 0 not in (kernel := weight[2:]):
        return
    if len(kernel) == 3 and transposed:
        raise RuntimeError(
            "non-empty 5D (n_output_plane x n_input_plane x kernel_depth x kernel_height x kernel_width) "
            f"tensor expected for weight, but got: {list(weight)}"
        )
    if dilated and not transposed:
        shown = str([1, *kernel] if len(kernel) == 1 else list(kernel))
    elif len(kernel) == 3:
        raise RuntimeError(
            f"kernel size should be greater than zero, but got: {' x '.join(map(str, kernel))} (TxHxW)"
        )
    else:
        shown = by_axis("kernel", kernel, 1)
    raise RuntimeError(f"kernel size should be greater than zero, but got {shown}")


def check_result(
    size: tuple[int, ...], given: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...],
    output_padding: tuple[int, ...],
) -> None:  # fmt: skip
    """Refuse what a transpose would make of an image: too little, or more than its kernel reaches."""
    if any(o >= max(s, d) for o, s, d in zip(output_padding, stride, dilation, strict=True)):
        raise RuntimeError(
            "output padding must be smaller than either stride or dilation, but got "
            f"{by_axis('output_padding', output_padding, 0)} {by_axis('stride', stride, 1)} "
            f"{by_axis('dilation', dilation, 1)}"
        )
    if any(n < 1 for n in size):
        # torch takes one axis for two.
        lifted = (1,) * (len(size) == 1)
        before, after = (" x ".join(map(str, (*lifted, *shape))) for shape in (given, size))
        raise RuntimeError(
            f"Given input size per channel: ({before}). Calculated output size per channel: ({after}). "
            "Output size is too small"
        )
