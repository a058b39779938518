"""Losses that torch computes as one op: pairs of values reduced at once, and the negative log-likelihood.

`reduction` is "none", "mean" or "sum". The pairwise losses are declared from the loss of one pair and its
slopes.
"""

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import large
from ..array.deferred_import import import_later
from ..array.layout import as_first, in_order, placed
from ..array.summation import sum_over
from ..core.connected import PIECEWISE
from ..core.op import Axes, Call, Term, Terms, elementwise, like_first, op, renamed
from ..core.op_fields import Place
from ..core.promotion import check_broadcast, promoted
from ..core.value import Value, dtype_of, shape_of
from .arithmetic import log
from .comparison import chosen, eq, ge, lt, where
from .convert import widened
from .elementwise import abs, exp, sgn, sigmoid
from .extreme import pick
from .reduce import mean_dims
from .structure import expand, permute_to_front, reshape, sum_dims

large_loss = import_later(".large_loss", __package__)


def reduced(values: ndarray, reduction: str) -> ndarray:
    """Return the mean, the sum, or the values themselves."""
    if reduction == "none":
        return values
    r = np.add.reduce(values, axis=None, out=...)
    if reduction == "mean":
        if not values.size:
            return np.full((), np.nan, values.dtype)
        np.true_divide(r, values.size, out=r)
    return r


def _aligned(value: Term, dim: int | None, rank: int) -> Term:
    """Return an operand of an elementwise op of rank `rank` with its batch axis first."""
    if dim is None or not isinstance(value, (Value, ndarray)):
        return value
    x = permute_to_front(value, dim)
    shape = shape_of(x)
    return reshape(x, (shape[0], *(1,) * (rank - len(shape) + 1), *shape[1:]))


class _Scaled:
    """A rule from a slope: the covector divided by the number of pairs where the loss is their mean."""

    def __init__(self, slope: Callable[..., Any], inputs: tuple[str, ...], attrs: tuple[str, ...]) -> None:
        self.slope = slope
        self.count = len(inputs)
        # The names of a rule's parameters say what is saved.
        self.__signature__ = inspect.Signature(
            [
                inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY)
                for n in ("g", *inputs, *attrs, "reduction")
            ]
        )

    def __call__(self, g: Term, *values: Any) -> Term:
        if values[-1] == "mean":
            shapes = (shape_of(v) for v in values[: self.count] if v is not None)
            g = widened(g) / (math.prod(np.broadcast_shapes(*shapes)) or math.nan)
        if type(x := values[0]) is ndarray and x.size >= large.CHAIN:
            found = large_loss.slope(self.slope, g, values[: self.count], values[self.count : -1])
            if found is not None:
                return found
        return self.slope(g, *values[:-1])


def pairwise(
    name: str,
    loss: Callable[..., ndarray],
    *slopes: Callable[..., Any] | None,
    attrs: tuple[str, ...] = (),
    inputs: tuple[str, ...] = ("x", "y"),
    place: Place = placed,
    **fields: Any,
) -> Call:
    """Declare a loss of pairs: ``loss(*inputs, *attrs)`` on arrays, ``slope(g, *inputs, *attrs)`` of each."""

    def kernel(*args: Any) -> ndarray:
        arrays = promoted(args[: len(inputs)], "same")
        half = next(
            (a.dtype for a in arrays if a is not None and a.dtype.itemsize == 2 and a.dtype.kind in "fV"),
            None,
        )
        if half is not None:
            arrays = tuple(a if a is None else a.astype(np.float32) for a in arrays)
        try:
            wide = arrays[0] is not None and arrays[0].size >= large.CHAIN
            result = large_loss.value(name, loss, arrays, args[len(inputs) :]) if wide else None
            if result is None:
                result = reduced(np.asarray(loss(*arrays, *args[len(inputs) : -1])), args[-1])
        except ValueError:
            check_broadcast(arrays)
            raise
        return result if half is None else result.astype(half)

    def batched(size: int, values: Terms, dims: Axes, *given: Any) -> Term:
        own = [
            len(shape_of(v)) - (d is not None) if v is not None else 0
            for v, d in zip(values, dims, strict=True)
        ]
        rank = max(own)
        aligned = tuple(_aligned(v, d, rank) for v, d in zip(values, dims, strict=True))
        each = call(*aligned, *given[:-1], "none")
        over = tuple(range(1, rank + 1))
        if given[-1] == "none":
            return each
        return mean_dims(each, over, False) if given[-1] == "mean" else sum_dims(each, over, False)

    call = op(
        name, kernel, tuple(None if s is None else _Scaled(s, inputs, attrs) for s in slopes), inputs=inputs,
        attrs=(*attrs, "reduction"), batch_rule=batched, kind="reduce", place=place,
        saved_as=("self", "target"), each=loss, **fields,
    )  # fmt: skip
    return call


def _square(x: ndarray, y: ndarray) -> ndarray:
    d = np.subtract(x, y, out=...)
    return np.multiply(d, d, out=d)


#: (x − y)²
mse_loss = pairwise("mse_loss", _square, lambda g, x, y: g * (2 * (x - y)), lambda g, x, y: g * (2 * (y - x)))


def _smooth_l1(x: ndarray, y: ndarray, beta: float) -> ndarray:
    d = np.absolute(x - y, out=...)
    return chosen(d < beta, 0.5 * d * d / beta, d - 0.5 * beta).astype(d.dtype, copy=False)


def _smooth_l1_slope(g: Term, x: Term, y: Term, beta: float) -> Term:
    d = x - y
    return g * where(ge(abs(d), beta), sgn(d), d / beta)  # a nan stays one


#: ½d²/β where |d| < β, else |d| − ½β, for d = x − y.
smooth_l1_loss = pairwise(
    "smooth_l1_loss", _smooth_l1, _smooth_l1_slope,
    lambda g, x, y, beta: -_smooth_l1_slope(g, x, y, beta),
    attrs=("beta",), node_name="SmoothL1LossBackward0",
)


def _huber(x: ndarray, y: ndarray, delta: float) -> ndarray:
    d = np.absolute(x - y, out=...)
    return chosen(d <= delta, 0.5 * d * d, delta * (d - 0.5 * delta)).astype(d.dtype, copy=False)


def _huber_slope(g: Term, x: Term, y: Term, delta: float) -> Term:
    d = x - y
    return g * where(ge(abs(d), delta), delta * sgn(d), d)


#: ½d² where |d| ≤ δ, else δ(|d| − ½δ), for d = x − y.
huber_loss = pairwise(
    "huber_loss", _huber, _huber_slope, lambda g, x, y, delta: -_huber_slope(g, x, y, delta),
    attrs=("delta",),
    place=as_first,
)


def _soft_margin(x: ndarray, y: ndarray) -> ndarray:
    z = np.multiply(x, y, out=...)
    np.negative(z, out=z)
    return np.log1p(np.exp(z)) if z.dtype.kind == "c" else np.logaddexp(z, 0, out=z)


def _soft_margin_slope(g: Term, x: Term, y: Term) -> Term:
    z = exp(-(x * y))
    return g * (-y * z / (z + 1))  # as in torch, nan where z is infinite


#: log(1 + exp(−y·x))
soft_margin_loss = pairwise("soft_margin_loss", _soft_margin, _soft_margin_slope, None)


def _bce(x: ndarray, y: ndarray, weight: ndarray | None) -> ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        r = (y - 1) * np.maximum(np.log1p(-x), -100) - y * np.maximum(np.log(x), -100)
    return r if weight is None else r * weight


def _weighted(g: Term, weight: Term | None) -> Term:
    return g if weight is None else g * weight


def _bce_spread(x: Term) -> Term:
    product = (1 - x) * x
    return where(lt(product, 1e-12), 1e-12, product)


def _bce_curve(g: Term, x: Term, y: Term) -> Term:
    # torch keeps the second slope finite at 0 and 1 in its own way
    spread = (x + 1e-12) * ((1 - x) + 1e-12)
    return g * ((x * x - 2 * x * y + y) / (spread * spread))


#: (x − y) / (x(1 − x)), the divisor no less than 10⁻¹².
_bce_ratio = elementwise(
    "binary_cross_entropy_slope",
    lambda x, y, /, out=...: np.divide(x - y, np.maximum((1 - x) * x, 1e-12), out=out),
    _bce_curve,
    lambda g, x: -g / _bce_spread(x), node_name="BinaryCrossEntropyBackwardBackward0",
)


#: −w(y·log x + (1 − y)·log(1 − x)), logarithms no less than −100.
binary_cross_entropy = pairwise(
    "binary_cross_entropy", _bce, lambda g, x, y, weight: _weighted(g, weight) * _bce_ratio(x, y),
    lambda g, x, y, weight: _weighted(g, weight) * (log(1 - x) - log(x)),
    None, inputs=("x", "y", "weight"), place=as_first,
)


def _bce_logits(x: ndarray, y: ndarray, weight: ndarray | None, pos_weight: ndarray | None) -> ndarray:
    # log(sigmoid(x)) = min(x, 0) − log1p(exp(−|x|)), exact for large |x|.
    log_sigmoid = np.minimum(x, 0) - np.log1p(np.exp(-np.absolute(x)))
    if pos_weight is None:
        r = (1 - y) * x - log_sigmoid
    else:
        r = (1 - y) * x - ((pos_weight - 1) * y + 1) * log_sigmoid
    return r if weight is None else r * weight


def _bce_logits_slope(g: Term, x: Term, y: Term, weight: Term, pos_weight: object) -> Term:
    s = sigmoid(x)
    if pos_weight is None:
        return _weighted(g, weight) * (s - y)
    t = pos_weight * y
    return _weighted(g, weight) * ((t + 1 - y) * s - t)


def _bce_logits_target(g: Term, x: Term, y: Term, weight: Term, pos_weight: object) -> Term:
    if pos_weight is None:
        return _weighted(g, weight) * -x
    log_s = log(sigmoid(x))
    return _weighted(g, weight) * (log(sigmoid(-x)) - pos_weight * log_s)


#: w((1 − y)·x − (1 + (p − 1)·y)·log(sigmoid x)), p the weight of positive targets.
binary_cross_entropy_with_logits = pairwise(
    "binary_cross_entropy_with_logits",
    _bce_logits,
    _bce_logits_slope,
    _bce_logits_target,
    None,
    None,
    inputs=("x", "y", "weight", "pos_weight"),
    # torch computes it of the target and the input.
    place=lambda result, operands: placed(result, operands[1::-1]),
)


# --- negative log-likelihood --------------------------------------------------------------------------------


def _nll_weights(target: ndarray, weight: Any, /, ignore_index: int, dtype: np.dtype[Any]) -> ndarray:
    used = target != ignore_index
    if weight is None:
        return used.astype(dtype)
    return np.asarray(np.where(used, weight[np.where(used, target, 0)], 0).astype(dtype))


#: The weight of each target: of its class, 0 where it is ignored.
nll_weights = op(
    "nll_weights", _nll_weights, kind="gather",
    batch_rule=lambda size, values, dims, ignore, dtype: _weights_batched(size, values, dims, ignore, dtype),
)


def _weights_batched(size: int, values: Terms, dims: Axes, ignore_index: int, dtype: np.dtype[Any]) -> Any:
    target = _spread_batch(values[0], dims[0], size)
    if values[1] is None or dims[1] is None:
        return nll_weights(target, values[1], ignore_index, dtype)
    shape = shape_of(target)
    places = reshape(target, (size, math.prod(shape[1:])))
    picked = pick(permute_to_front(values[1], dims[1]), where(eq(places, ignore_index), 0, places), 1)
    return reshape(picked * nll_weights(places, None, ignore_index, dtype), shape)


def _nll_index(target: ndarray, /, ignore_index: int, dim: int) -> ndarray:
    """Return the target as an index along `dim`, class 0 where it is ignored."""
    return np.expand_dims(np.where(target == ignore_index, 0, target), dim)


def _all_count(target: ndarray, classes: int, ignore_index: int) -> bool:
    """Return whether no target is ignored, or raise an IndexError where one that is not is no class."""
    # As numbers without a sign, which negative ones make large: one reduction instead of two.
    unsigned = target.view(np.uint64) if target.dtype == np.int64 else target
    if not target.size or np.maximum.reduce(unsigned, axis=None) < classes:
        return not 0 <= ignore_index < classes or not np.count_nonzero(target == ignore_index)
    bad = target[((target < 0) | (target >= classes)) & (target != ignore_index)]
    if bad.size:
        raise IndexError(f"Target {int(bad.reshape(-1)[0])} is out of bounds.")
    return False


def _nll(x: ndarray, target: ndarray, weight: Any, /, reduction: str, ignore_index: int) -> ndarray:
    all_count = _all_count(target, x.shape[1 if x.ndim > 1 else 0], ignore_index)
    if x.ndim > 1 and x.dtype.itemsize > 2 and all_count:
        # The common case: 3 µs instead of 12 for 8×8.
        if (found := _picked(x, target)) is not None and weight is None:
            return reduced(np.negative(found, out=...), reduction)
        if found is not None:
            each = weight[target]
            values = np.negative(np.multiply(found, each, out=found), out=found)
            if reduction != "mean":
                return reduced(values, reduction)
            total = reduced(values, "sum")
            return np.divide(total, np.add.reduce(each, axis=None), out=total)
    dim = 0 if x.ndim == 1 else 1
    dtype = x.dtype if x.dtype.itemsize > 2 else np.dtype(np.float32)
    w = _nll_weights(target, weight, ignore_index, dtype)
    index = _nll_index(target, ignore_index, dim)
    if dim and x.ndim == 2:
        picked = x[np.arange(x.shape[0]), index[:, 0]]
    elif dim and (places := _places_in_maps(index[:, 0], x.shape)) is not None:
        picked = x.reshape(-1)[places]
    else:
        picked = np.take_along_axis(x, index, axis=dim).squeeze(dim)
    values = np.negative(np.multiply(picked, w, out=...), out=...)
    if reduction != "none":
        values = np.add.reduce(values, axis=None, out=...)
        if reduction == "mean":
            with np.errstate(all="ignore"):
                values = np.true_divide(values, np.add.reduce(w, axis=None), out=...)
    return values if values.dtype == x.dtype else values.astype(x.dtype)


def _picked(x: ndarray, target: ndarray) -> ndarray | None:
    """Return the elements of the classes ``(N, *size)``; None where one is no class."""
    if x.ndim == 2:
        picked: ndarray = x[np.arange(len(x)), target]
        return picked
    places = _places_in_maps(target, x.shape)
    return None if places is None else x.reshape(-1)[places]


def _nll_backward(
    g: ndarray, target: ndarray, weight: object, /, shape: tuple[int, ...], reduction: str, ignore_index: int
) -> ndarray:
    dim = 0 if len(shape) == 1 else 1
    if weight is None and dim and not np.count_nonzero(target == ignore_index):
        places = (np.arange(shape[0]), target) if len(shape) == 2 else _places_in_maps(target, shape)
        if places is not None:
            out = np.zeros(shape, g.dtype)
            written = out if len(shape) == 2 else out.reshape(-1)
            written[places] = -g / max(target.size, 1) if reduction == "mean" else -g
            return out
    w = _nll_weights(target, weight, ignore_index, g.dtype)
    if reduction == "mean":
        with np.errstate(all="ignore"):
            w = np.true_divide(w, sum_over(w.ravel(), (0,)), out=np.zeros_like(w), where=w != 0)
    # An ignored target gets 0 also where the loss, and so the covector, is nan.
    each = np.multiply(w, g, out=np.zeros_like(w), where=w != 0)
    np.negative(each, out=each)
    out = np.zeros(shape, g.dtype)
    if len(shape) == 2:
        out[np.arange(shape[0]), _nll_index(target, ignore_index, 1)[:, 0]] = each
        return out
    index = _nll_index(target, ignore_index, dim)
    places = _places_in_maps(index[:, 0], shape) if dim else None
    if places is None:
        np.put_along_axis(out, index, np.expand_dims(each, dim), axis=dim)
    else:
        out.reshape(-1)[places] = each
    return out


def _places_in_maps(target: ndarray, shape: tuple[int, ...]) -> ndarray | None:
    """Return where the classes ``(N, *size)`` of ``(N, C, *size)`` are among all elements, in a third of the
    time of an index along an axis; None where one is no class.
    """
    if not target.size or target.min() < 0 or target.max() >= shape[1]:
        return None
    images, classes, pixels = shape[0], shape[1], math.prod(shape[2:])
    places = target.reshape(images, pixels) * pixels
    places += np.arange(pixels)
    places += (np.arange(images) * (classes * pixels))[:, None]
    return places.reshape(target.shape)


def _nll_backward_batched(
    size: int, values: Terms, dims: Axes, shape: tuple[int, ...], reduction: str, ignore_index: int
) -> Any:
    target = _spread_batch(values[1], dims[1], size)
    rows = shape_of(target)[1:]
    over = tuple(range(1, len(rows) + 1))
    g = values[0] if dims[0] is None else permute_to_front(values[0], dims[0])
    w = _weights_batched(size, (target, values[2]), (0, dims[2]), ignore_index, dtype_of(g))
    if reduction == "mean":
        w = w / sum_dims(w, over, True)
    if reduction != "none" and dims[0] is not None:
        g = reshape(g, (size, *(1,) * len(rows)))
    # The samples of all rows of the batch as those of one loss.
    whole, places = ((size, *shape), (size,)) if not rows else (
        (size * shape[0], *shape[1:]), (size * rows[0], *rows[1:])
    )  # fmt: skip
    each, target = reshape(w * g, places), reshape(target, places)
    return reshape(nll_loss_backward(each, target, None, whole, "none", ignore_index), (size, *shape))


#: The transpose of `nll_loss`, linear in g.
nll_loss_backward: Call = op(
    "nll_loss_backward", _nll_backward,
    (
        lambda g, target, weight, reduction, ignore_index: nll_loss(
            g, target, weight, reduction, ignore_index
        ),
        None, None,
    ),
    linear=True, batch_rule=_nll_backward_batched,
)  # fmt: skip


def _nll_rule(
    g: Term, shape_x: tuple[int, ...], target: Term, weight: Term, reduction: str, ignore_index: int
) -> Term:
    return nll_loss_backward(g, target, weight, shape_x, reduction, ignore_index)


def _nll_jvp(primals: Terms, tangents: Terms, out: Term, reduction: str, ignore_index: int) -> Term | None:
    return None if tangents[0] is None else nll_loss(tangents[0], *primals[1:], reduction, ignore_index)


def _nll_batched(size: int, values: Terms, dims: Axes, reduction: str, ignore_index: int) -> Term:
    x, target = (_spread_batch(v, d, size) for v, d in zip(values[:2], dims[:2], strict=True))
    own = shape_of(x)[1:]
    rows = shape_of(target)[1:]
    if len(own) == 1:
        folded, places = x, target
    else:
        folded = reshape(x, (size * own[0], *own[1:]))
        places = reshape(target, (size * rows[0], *rows[1:]))
    each = reshape(nll_loss(folded, places, None, "none", ignore_index), (size, *rows))
    w = _weights_batched(size, (target, values[2]), (0, dims[2]), ignore_index, dtype_of(x))
    each = each * w
    if reduction == "none":
        return each
    over = tuple(range(1, len(rows) + 1))
    total = sum_dims(each, over, False)
    return total if reduction == "sum" else total / sum_dims(w, over, False)


def _spread_batch(value: Term, dim: int | None, size: int) -> Term:
    if dim is None:
        shape = shape_of(value)
        return expand(reshape(value, (1, *shape)), (size, *shape))
    return permute_to_front(value, dim)


#: −w[target]·x[target], for classes along dim 1 (dim 0 of a vector); the mean is weighted.
nll_loss: Call = op(
    "nll_loss", _nll, (_nll_rule, None, None), kind="opaque", jvp=_nll_jvp, batch_rule=_nll_batched,
    gradient=PIECEWISE, saves=("x",), place=in_order,
)
#: The same with places behind the classes, under torch's other node name.
nll_loss_nd = renamed(nll_loss, "nll_loss2d", "NllLoss2DBackward0")


def _variances(var: ndarray, /) -> ndarray:
    if (var < 0).any():
        raise ValueError("var has negative entry/entries")
    return var.copy()


#: The same numbers, refused where one is negative: a program asks when it runs.
variances: Call = op(
    "variances", _variances, (lambda g: g,), batch=lambda size: (), shape=like_first,
    jvp=lambda primals, tangents, out: tangents[0],
)  # fmt: skip
