"""In-place updates: on bases, on views, on leaves, with and without grad mode."""

from __future__ import annotations

from typing import Any

from ..builder import ALL, FLOATS, INTS, SMOOTH, Builder, Ref, call
from . import Drawn, recipe

UNARY = (
    "neg_",
    "exp_",
    "sin_",
    "cos_",
    "tanh_",
    "sigmoid_",
    "sqrt_",
    "abs_",
    "square_",
    "reciprocal_",
    "log_",
    "rsqrt_",
    "sinh_",
    "log1p_",
    "expm1_",
    "sgn_",
    "atan_",
)
UNARY_REAL = ("relu_", "floor_", "round_", "erf_", "trunc_", "frac_", "ceil_")
AUGMENTED = ("iadd", "isub", "imul", "itruediv")
NAMED = ("add_", "sub_", "mul_", "div_")


def target(b: Builder, dtypes: tuple[str, ...] = SMOOTH, min_ndim: int = 0) -> tuple[Ref, str]:
    """Something to write to, and the mode to do it in.

    torch refuses to write to a leaf that requires grad, so such a leaf is first copied, or written to in
    `no_grad`.
    """
    x = b.find(dtypes, min_ndim=min_ndim, where=part_of_a_result) if b.chance(0.4) else None
    if x is None:
        x = b.pick(dtypes, min_ndim=min_ndim, fresh=0.05, where=writable)
    tensor = b.value(x)
    if not (tensor.is_leaf and tensor.requires_grad):
        return x, "no_grad" if b.chance(0.08) else ""
    if b.chance(0.3):
        return x, "no_grad"
    if b.chance(0.05):
        return x, ""
    copy = b.next()
    b.emit(call("mul", x, 2) if b.chance(0.5) else call(".clone", x))
    return copy, ""


def writable(tensor: Any) -> bool:
    """Whether no two elements of a tensor share memory (a wide guess: an expanded dimension has stride 0)."""
    return 0 not in tensor.stride() or tensor.numel() <= 1


def part_of_a_result(tensor: Any) -> bool:
    """Whether a write reaches a base that has a history."""
    return writable(tensor) and tensor._is_view() and tensor.requires_grad and not tensor._base.is_leaf


@recipe(5)
def unary(b: Builder) -> Drawn:
    x, mode = target(b)
    real = b.dtype_of(x) in FLOATS and b.chance(0.3)
    return call(f".{b.one(UNARY_REAL if real else UNARY)}", x, within=mode)


@recipe(7)
def binary(b: Builder) -> Drawn:
    x, mode = target(b, ALL if b.chance(0.2) else SMOOTH)
    own = (b.dtype_of(x),)
    y = b.partner(x, own, wider=False) if b.chance(0.6) else b.scalar_like(x)
    if b.chance(0.05):
        y = x
    name = b.one(range(4))
    if x.item is None and not mode and b.chance(0.5):
        return call(AUGMENTED[name], x, y)
    kwargs = {"alpha": 2} if name < 2 and b.chance(0.3) else {}
    return call(f".{NAMED[name]}", x, y, within=mode, **kwargs)


@recipe(1.5)
def power(b: Builder) -> Drawn:
    x, mode = target(b)
    return call(".pow_", x, b.one((2, 3, 0.5, 1, -1)), within=mode)


@recipe(3)
def filled(b: Builder) -> Drawn:
    x, mode = target(b, ALL)
    match b.one(("fill_", "zero_", "one_", "tensor")):
        case "zero_":
            return call(".zero_", x, within=mode)
        case "tensor":
            return call(".fill_", x, b.leaf(b.dtype_of(x), ()), within=mode)
    return call(".fill_", x, b.scalar_like(x), within=mode)


@recipe(4)
def copied(b: Builder) -> Drawn:
    x, mode = target(b, ALL)
    return call(
        ".copy_", x, b.partner(x, SMOOTH if b.dtype_of(x) in SMOOTH else ALL, wider=False), within=mode
    )


@recipe(2)
def masked_fill(b: Builder) -> Drawn:
    x, mode = target(b, ALL)
    mask = b.mask(b.broadcastable(tuple(b.value(x).shape), wider=False))
    return call(".masked_fill_", x, mask, b.scalar_like(x), within=mode)


@recipe(1.5)
def clamped(b: Builder) -> Drawn:
    x, mode = target(b, (*FLOATS, *INTS))
    low, high = sorted((b.scalar_like(x), b.scalar_like(x)))
    return (
        call(".clamp_", x, low, high, within=mode)
        if b.chance(0.6)
        else call(".clamp_", x, min=low, within=mode)
    )


@recipe(1.5)
def fused(b: Builder) -> Drawn:
    x, mode = target(b)
    own = (b.dtype_of(x),)
    match b.one(("addcmul_", "addcdiv_", "lerp_")):
        case "lerp_":
            return call(".lerp_", x, b.partner(x, own, wider=False), b.one((0.25, 0.5)), within=mode)
        case name:
            y, z = b.partner(x, own, wider=False), b.partner(x, own, wider=False)
            return call(f".{name}", x, y, z, within=mode)


@recipe(1.2)
def reshaped(b: Builder) -> Drawn:
    """Changes of the geometry only."""
    x, mode = target(b, ALL)
    tensor = b.value(x)
    if tensor.is_leaf and tensor.requires_grad:
        return None  # its gradient would have to have two shapes
    match b.one(("transpose_", "squeeze_", "unsqueeze_", "t_", "swapaxes_")):
        case "t_":
            return call(".t_", x, within=mode) if tensor.dim() <= 2 else None
        case "squeeze_":
            return call(".squeeze_", x, within=mode)
        case "unsqueeze_":
            return call(".unsqueeze_", x, 0, within=mode)
        case name:
            return call(f".{name}", x, b.dim(tensor), b.dim(tensor), within=mode)


@recipe(1)
def triangle(b: Builder) -> Drawn:
    x, mode = target(b, SMOOTH, min_ndim=2)
    return call(f".{b.one(('tril_', 'triu_'))}", x, within=mode)


@recipe(1)
def cumulative(b: Builder) -> Drawn:
    x, mode = target(b)
    return call(f".{b.one(('cumsum_', 'cumprod_'))}", x, b.dim(b.value(x)), within=mode)


@recipe(1)
def activation(b: Builder) -> Drawn:
    x, mode = target(b, FLOATS)
    name = b.one(("relu", "leaky_relu", "elu", "hardtanh", "silu", "selu"))
    return call(f"torch.nn.functional.{name}", x, inplace=True, within=mode)


@recipe(0.8)
def compared(b: Builder) -> Drawn:
    x, mode = target(b, (*FLOATS, *INTS, "bool"))
    return call(f".{b.one(('eq_', 'lt_', 'ge_'))}", x, b.scalar_like(x), within=mode)


@recipe(0.6)
def bitwise(b: Builder) -> Drawn:
    x, mode = target(b, (*INTS, "bool"))
    if mode or x.item is not None:
        return None
    return call(b.one(("iand", "ior", "ixor")), x, b.partner(x, (b.dtype_of(x),), wider=False))


@recipe(1.2)
def through_data(b: Builder) -> Drawn:
    """Writes that autograd does not see."""
    x = b.pick(SMOOTH)
    data = b.next()
    return [call("getattr", x, "data"), call(f".{b.one(NAMED[:3])}", data, b.scalar_like(x))]


@recipe(0.8)
def through_detached(b: Builder) -> Drawn:
    """Writes that autograd does see: a detached tensor shares the version."""
    x = b.pick(SMOOTH)
    detached = b.next()
    return [call(".detach", x), call(f".{b.one(NAMED[:3])}", detached, b.scalar_like(x))]


@recipe(1)
def into_out(b: Builder) -> Drawn:
    """The `out=` argument, which torch refuses for tensors that require grad."""
    x = b.pick(SMOOTH, where=lambda t: not t.requires_grad or b.chance(0.1), fresh=0)
    out = b.next()
    name = b.one(("add", "mul", "sub", "div"))
    return [call("torch.zeros_like", x), call(f"torch.{name}", x, b.scalar_like(x), out=out)]
