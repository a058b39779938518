"""Define normalisations under torch's names, with its checks and the update of running statistics."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ...array import dtype_limits, dtypes
from ...array import norm as kernels
from ...array.batch_norm import batch_norm_of_running
from ...array.chains import MOST
from ...array.dtype_words import not_implemented, unlike
from ...core import facade
from ...core import inplace as writing
from ...core.modes import change, set_modes
from ...core.node import Output
from ...core.saved import renew
from ...core.tracer import Tracer
from ...core.value import TensorBase, dtype_of, innermost, shape_of, wrap
from ...errors import argument_type
from ...ops import normalize as o
from ...ops.arithmetic import add, mul, pow_scalar, rsqrt
from ...ops.convert import as_dtype, cast, clone, widened
from ...ops.mixture import clamp
from ...ops.reduce import mean_dims
from ...ops.structure import expand, reshape
from ...ops.view import select, unsqueeze
from ...tensor import norms
from ...tensor.argument_types import is_integer, is_real
from ...tensor.batching import batch_levels
from ...tensor.conversion import suggested
from ...tensor.memory_format import contiguous
from ...tensor.out import write_out
from ...tensor.padding import pad
from ...tensor.sizes import count
from ...tensor.tensor import checked_dim
from ...tensor.unrecorded import arrays, computed, in_memory
from .loss_reduction import check_no_gradient, functional, mirrored
from .pooling import avg_pool2d, avg_pool3d


def _size(shape: Sequence[int]) -> str:
    return f"torch.Size({list(shape)})"


_F32, _F64 = dtypes.float32.numpy, dtypes.float64.numpy
_FLOATING = frozenset({dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64})


def _check_floating(kernel: str, own: dtypes.dtype) -> None:
    if own not in _FLOATING:
        raise not_implemented(kernel, own.numpy)


def check_kernel(kernel: str, input: Any, *parameters: Any) -> None:
    """Raise torch's error for dtypes that a kernel of a norm does not take together: parameters have the
    input's, or are float32 where the input is a half.
    """
    if (plain := dtype_of(input)) is _F32 or plain is _F64:
        for v in parameters:
            if v is not None and dtype_of(v) is not plain:
                break
        else:
            return
    own = dtypes.from_numpy_dtype(plain)
    kinds = [dtypes.from_numpy_dtype(dtype_of(v)) for v in parameters if isinstance(v, TensorBase)]
    expected = own
    if own in dtypes.FLOAT8:
        _check_floating(kernel, own)
    if kinds and kinds[0] is not own:
        expected = dtypes.float32
        if any(kind is not expected for kind in kinds):
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
        if own not in (dtypes.float16, dtypes.bfloat16):
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
    _check_floating(kernel, own)
    other = next((kind for kind in kinds if kind is not expected), None)
    if other is not None:
        raise unlike(expected.numpy, other.numpy)


# --- batch norm ---------------------------------------------------------------------------------------------


def _check_channels(channels: int, **vectors: Any) -> None:
    for name, v in vectors.items():
        if v is not None and math.prod(shape_of(v)) != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {math.prod(shape_of(v))}")


def _move(running: ndarray, batch: ndarray, momentum: float) -> None:
    np.copyto(running, (1 - momentum) * running + momentum * batch, casting="unsafe")


def _update(running: Any, batch: Any, momentum: float, out: Any = None) -> None:
    """Do running ← (1 − momentum)·running + momentum·batch, unrecorded; torch leaves the version as it is.

    `out` is the result whose node has saved `running`, where one has.
    """
    a = running._value
    # a plain tensor that a transformed function captured gets the statistics' values, as in torch
    b = innermost(batch) if isinstance(a, ndarray) else batch._value
    if isinstance(a, ndarray) and isinstance(b, ndarray):
        _move(a, b, momentum)
        return
    version = running._counter[0]
    before = change(grad=False)
    try:
        writing.write(running, running * (1 - momentum) + batch * momentum)
    finally:
        set_modes(before)
    if type(a) is Tracer:
        a.recorder.uncount(running)
    if out is not None and type(out._value) is Tracer and out._node is not None:
        # Views follow a write by the version, so a trace counts it; what was saved stays valid all the same.
        nodes = out._value.recorder.uncounted.setdefault(id(running._counter), [])
        nodes.append(out._node.node if isinstance(out._node, Output) else out._node)
        renew(nodes, running._counter, version)


@facade.repeated
def _with_moved(
    input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, momentum: float, eps: float
) -> tuple[Any, Any, Any]:
    """Return the batch norm of plain tensors, and what the running statistics become.

    Nothing is written here, so that such a call can be known: 32×32 numbers take 39 µs and took 101.
    """
    mean, var = running_mean.detach(), running_var.detach()
    out, batch_mean, _, batch_var = o.batch_norm(input, weight, bias, mean, var, True, eps)
    count = math.prod(shape_of(input)) // shape_of(input)[1]
    batch_var = batch_var * (count / max(count - 1, 1))
    moved = [old * (1 - momentum) + new * momentum for old, new in ((mean, batch_mean), (var, batch_var))]
    return out, *moved


def _check_kinds(*vectors: Any, **numbers: Any) -> None:
    """Fail for what is neither tensor nor None and for what is no number, for torch's error of the call."""
    for v in vectors:
        if v is not None and not isinstance(v, TensorBase):
            raise TypeError("parameters and statistics are tensors")
    for n in numbers.values():
        if type(n) is not float and not is_real(n):
            raise TypeError("parameters and statistics are tensors")


@mirrored
def batch_norm(
    input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None,
    training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Any:
    """Return (input − mean) / √(var + eps) · weight + bias for each channel (dim 1).

    In training the statistics are the batch's and the running ones move towards them; else the running ones
    are used.
    """
    if training:
        shape = input.size()
        if shape[0] * math.prod(shape[2:]) == 1:
            raise ValueError(
                f"Expected more than 1 value per channel when training, got input size {_size(shape)}"
            )
    if training and eps <= 0.0:
        raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    if input is None:
        raise TypeError("a tensor is normalised")
    given = (input, weight, bias, running_mean, running_var)
    if training and (found := in_memory(*given)) and _fit(*found) and type(momentum) is float:
        _check_no_gradient(running_mean, running_var)
        out, mean, var = _with_moved(input, weight, bias, running_mean, running_var, momentum, float(eps))
        np.copyto(found[3], mean._value)
        np.copyto(found[4], var._value)
        return out
    if not training and (plain := arrays(*given)) and plain[0].flags.c_contiguous and _fit(*plain):
        if all(v.flags.c_contiguous for v in plain):
            return wrap(computed(batch_norm_of_running, *plain, float(eps)))
        # A row of 256 takes 19 µs so; the checks one by one and three tensors more make it 26.
        return wrap(o.batch_norm.op.evaluate(tuple(plain), (False, float(eps)))[0])
    _check_kinds(input, running_mean, running_var, weight, bias, momentum=momentum)
    return with_statistics(input, running_mean, running_var, weight, bias, training, momentum, eps)[0]


def _fit(x: ndarray, *vectors: ndarray) -> bool:
    """Return whether there is something to normalise, and a number for each channel in each vector."""
    return x.ndim > 1 and x.size > 0 and all(v.shape == x.shape[1:2] for v in vectors)


def _check_no_gradient(running_mean: Any, running_var: Any) -> None:
    """Raise torch's error for statistics that require grad."""
    check_no_gradient("native_batch_norm", "running_mean", running_mean)
    check_no_gradient("native_batch_norm", "running_var", running_var)


def _check_running(input: Any, *running: Any) -> None:
    """Raise torch's error where vmap would have to write rows into statistics that have none."""
    rows = {level for level, _ in batch_levels(input)}
    if any(v is not None and rows - {level for level, _ in batch_levels(v)} for v in running):
        raise RuntimeError(
            "Batch norm got a batched tensor as input while the running_mean or running_var, which will be "
            "updated in place, were not batched.\nIf you are using a module and do not need eval mode, "
            "please set `track_running_stats` to be False.If you are using a prebuilt module and do not need "
            "eval mode, please see the functorch website for resources on how to patch your module to work "
            "with vmap"
        )


def with_statistics(
    input: Any, running_mean: Any, running_var: Any, weight: Any, bias: Any, training: bool, momentum: float,
    eps: float,
) -> tuple[Any, Any, Any]:
    """Return the batch norm with the batch's mean and 1/√(var + eps), None where nothing is normalised."""
    shape = shape_of(input)
    _check_channels(
        shape[1] if len(shape) > 1 else 0,
        running_mean=running_mean,
        running_var=running_var,
        weight=weight,
        bias=bias,
    )
    if not training and (running_mean is None or running_var is None):
        raise RuntimeError(
            f"{'running_mean' if running_mean is None else 'running_var'} must be defined in evaluation mode"
        )
    if training and (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    if 0 not in shape:
        checked_dim(1, len(shape))
        _check_floating("batch_norm", dtypes.from_numpy_dtype(dtype_of(input)))
        check_kernel("batch_norm", input, weight, bias, running_mean, running_var)
    else:
        # Nothing to normalise: torch multiplies with the first weight, which keeps the parameters in the
        # graph.
        out = clone(input)
        for v, join in ((weight, mul), (bias, add)):
            out = out if v is None or not shape_of(v)[0] else join(out, select(v, 0, 0))
        return out, None, None
    _check_no_gradient(running_mean, running_var)
    detached = [None if v is None else v.detach() for v in (running_mean, running_var)]
    if training and input._level:
        _check_running(input, running_mean, running_var)
    if training and type(input._value) not in (ndarray, Tracer):
        detached = [None, None]
    out, mean, invstd, var = o.batch_norm(input, weight, bias, *detached, training, float(eps))
    if training:
        count = math.prod(shape) // shape[1] if shape[1] else 0
        if running_mean is not None:
            _update(running_mean, mean, momentum, out)
        if running_var is not None:
            _update(running_var, var * (count / max(count - 1, 1)), momentum, out)
    return out, mean, invstd


@mirrored
def instance_norm(
    input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None,
    use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-5,
) -> Any:
    """Return `batch_norm` of each image on its own."""
    if use_input_stats:
        sizes = input.size()
        if math.prod(sizes[2:]) == 1:
            raise ValueError(
                f"Expected more than 1 spatial element when training, got input size {_size(sizes)}"
            )
    if input is None or not isinstance(use_input_stats, bool):
        raise TypeError("a tensor is normalised")
    _check_kinds(input, running_mean, running_var, weight, bias, momentum=momentum, eps=eps)
    shape = shape_of(input)
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError(
            "Expected running_mean and running_var to be defined when use_input_stats is false"
        )
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    n, channels = shape[:2]
    for name, v in (
        ("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias)
    ):  # fmt: skip
        if v is not None and len(shape_of(v)) > 1:
            raise RuntimeError(
                "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
            )
        if v is not None and count(shape_of(v)) != channels:
            raise RuntimeError(f"{name} should contain {n * channels} elements not {n * count(shape_of(v))}")
    vectors = [None if v is None else _repeated(v, n) for v in (running_mean, running_var, weight, bias)]
    folded = reshape(input, (1, n * channels, *shape[2:]))
    if use_input_stats and (running_mean is not None or running_var is not None):
        vectors[:2] = [None if v is None else v.clone() for v in vectors[:2]]
    # Statistics of another dtype are converted, and converted back: the parameters decide what is mixed, and
    # of the statistics torch looks at the mean alone.
    kind = next((dtype_of(v) for v in (weight, bias) if v is not None), dtype_of(input))
    if vectors[0] is not None and dtype_of(vectors[0]) != kind:
        vectors[:2] = [None if v is None else cast(v, kind) for v in vectors[:2]]
    out = with_statistics(folded, *vectors, use_input_stats, momentum, eps)[0]  # type: ignore[call-arg, arg-type]  # four vectors
    if use_input_stats:
        for running, each in ((running_mean, vectors[0]), (running_var, vectors[1])):
            if running is not None and each is not None:
                _update(running, mean_dims(reshape(each, (n, channels)), (0,), False), 1.0)
    return reshape(out, shape)


def _repeated(v: Any, n: int) -> Any:
    size = count(shape_of(v))
    return reshape(expand(reshape(v, (1, size)), (n, size)), (n * size,))


# --- layer, group and RMS norm ------------------------------------------------------------------------------


def _normalized(input: Any, normalized_shape: Any, weight: Any, bias: Any = None, comma: str = ", ") -> int:
    """Return the number of normalised axes, after torch's checks (whose texts differ by a comma)."""
    wanted = tuple(normalized_shape)
    shape = shape_of(input)
    fit = (weight is None or shape_of(weight) == wanted) and (bias is None or shape_of(bias) == wanted)
    if fit and wanted and shape[-len(wanted) :] == wanted:
        return len(wanted)
    if not wanted:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, "
            f"but got normalized_shape = {list(wanted)}"
        )
    for name, v in (("weight", weight), ("bias", bias)):
        if v is not None and shape_of(v) != wanted:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(shape_of(v))} and normalized_shape = {list(wanted)}"
            )
    if len(shape) < len(wanted) or shape[len(shape) - len(wanted) :] != wanted:
        sizes = ", ".join(map(str, wanted))
        raise RuntimeError(
            f"Given normalized_shape={list(wanted)}, expected input with shape [*{comma}{sizes}], but got "
            f"input of size{list(shape)}"
        )
    return len(wanted)


def _plain(
    input: Any, normalized_shape: Any, weight: Any, bias: Any
) -> tuple[ndarray, ndarray | None, ndarray | None] | None:
    """Return the arrays of a norm of the last dims of which nothing is recorded, if they go together."""
    if type(normalized_shape) is not tuple or not normalized_shape:
        return None
    found = arrays(input, *[v for v in (weight, bias) if v is not None])
    if found is None:
        return None
    x, *vectors = found
    if x.shape[-len(normalized_shape) :] != normalized_shape or not x.size:
        return None
    for v in vectors:
        if v.shape != normalized_shape:
            return None
    return x, None if weight is None else vectors[0], None if bias is None else vectors[-1]


@functional
def layer_norm(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """Return (input − mean) / √(var + eps) · weight + bias over the dims of `normalized_shape`."""
    if type(eps) is float and (plain := _plain(input, normalized_shape, weight, bias)):
        return wrap(computed(kernels.layer_norm, *plain, len(normalized_shape), eps)[0])
    return layer_norm_with_statistics(input, normalized_shape, weight, bias, eps)[0]


def layer_norm_with_statistics(
    input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float
) -> tuple[Any, Any, Any]:
    """Return the layer norm with the mean and 1/√(var + eps) that it used."""
    if not isinstance(normalized_shape, (tuple, list)):
        raise argument_type("layer_norm", "normalized_shape", 2, "tuple of ints", normalized_shape)
    _check_kinds(weight, bias)
    axes = _normalized(input, normalized_shape, weight, bias)
    check_kernel("LayerNormKernelImpl", input, weight, bias)
    return o.layer_norm(input, weight, bias, axes, float(eps))


def check_groups(shape: tuple[int, ...], num_groups: int, weight: Any, bias: Any) -> None:
    """Raise torch's errors for groups that do not divide the channels and vectors of another size."""
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    channels = shape[1]
    if channels % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(shape)} and num_groups={num_groups}"
        )
    for name, v in (("weight", weight), ("bias", bias)):
        if v is not None and (len(shape_of(v)) != 1 or shape_of(v)[0] != channels):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but "
                f"got {name} of shape "
                f"{list(shape_of(v if weight is None else weight))} and input of shape {list(shape)}"
            )


@mirrored
def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """Return `num_groups` groups of channels (dim 1), each normalised, with a weight and bias per channel."""
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    shape = shape_of(input)
    sizes = [shape[0] * shape[1] // num_groups, num_groups, *shape[2:]]
    if sizes[0] * math.prod(sizes[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {sizes}")
    known = type(num_groups) is int and num_groups > 0 and type(eps) is float
    plain = arrays(input, weight, bias) if known else None
    if plain and plain[0].flags.c_contiguous and _fit(*plain) and shape[1] % num_groups == 0:
        return wrap(computed(kernels.group_norm, *plain, num_groups, eps)[0])
    if is_integer(num_groups):
        num_groups = int(num_groups)
    if type(num_groups) is not int or abs(num_groups) >= 1 << 63:
        raise TypeError("groups are counted")
    _check_kinds(weight, bias, eps=eps)
    check_groups(shape, num_groups, weight, bias)
    check_kernel("GroupNormKernelImpl", input, weight, bias)
    return o.group_norm(input, weight, bias, num_groups, float(eps))[0]


@functional
def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: float | None = None) -> Any:
    """Return input / √(mean(input²) + eps) · weight over the last dims; `eps` is the dtype's by default."""
    if (eps is None or type(eps) is float) and (plain := _plain(input, normalized_shape, weight, None)):
        x, factor, _ = plain
        if x.size <= MOST and x.flags.c_contiguous:
            least = float(np.finfo(x.dtype).eps) if eps is None else eps
            return wrap(computed(kernels.small_rms_norm, x, factor, math.prod(normalized_shape), least))
    if not isinstance(normalized_shape, (tuple, list)):
        raise argument_type("rms_norm", "normalized_shape", 2, "tuple of ints", normalized_shape)
    _check_kinds(weight)
    fits = weight is None or shape_of(weight) == tuple(normalized_shape)
    if fits and len(shape_of(input)) < len(normalized_shape):
        raise ValueError(
            f"Input tensor must have at least {len(normalized_shape)} dimensions, but got "
            f"{len(shape_of(input))}"
        )
    axes = _normalized(input, normalized_shape, weight, comma="")
    if dtype_of(input).kind in "biu" or dtype_of(input) in dtypes.FLOAT8_NUMPY:
        raise not_implemented("rms_norm", dtype_of(input))
    wide = widened(input)
    if eps is None:
        eps = dtype_limits.finfo(dtypes.from_numpy_dtype(dtype_of(wide))).eps
    rank = len(shape_of(input))
    dims = tuple(range(rank - axes, rank))
    scaled = wide * rsqrt(mean_dims(pow_scalar(wide, 2), dims, True) + float(eps))
    result = contiguous(scaled if weight is None else scaled * weight, suggested(input))
    return as_dtype(result, dtype_of(input))


# --- others -------------------------------------------------------------------------------------------------


@mirrored
def local_response_norm(
    input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Any:
    """Return input / (k + α·mean(input² of the `size` channels around))^β."""
    if (rank := input.dim()) < 3:
        raise ValueError(f"Expected 3D or higher dimensionality{' ' * 26}input (got {rank} dimensions)")
    if 0 in (shape := shape_of(input)):
        return input
    squares = input.mul(input)
    if rank == 3:
        padded = pad(unsqueeze(squares, 1), (0, 0, size // 2, (size - 1) // 2))
        means = avg_pool2d(padded, (size, 1), stride=1)
    else:
        images = reshape(squares, (shape[0], 1, shape[1], shape[2], math.prod(shape[3:])))
        padded = pad(images, (0, 0, 0, 0, size // 2, (size - 1) // 2))
        means = avg_pool3d(padded, (size, 1, 1), stride=1)
    return input / reshape(means, shape).mul(alpha).add(k).pow(beta)


@functional
def normalize(input: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None) -> Any:
    """Return input / max(|input|_p, eps), the norm over `dim`."""
    length = clamp(norms.norm(input, p, dim, keepdim=True), eps, None)
    result = input / expand(length, shape_of(input))
    return result if out is None else write_out(out, result, "div")
