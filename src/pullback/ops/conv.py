"""Convolution in one to three dimensions: three ops, each the others' rules.

With y = conv(x, w): the covector of x is `conv_transpose(g, w)`, that of w is `conv_weight(x, g)`. All three
are linear in each argument, so derivatives of every order stay among them. torch names the node of each
ConvolutionBackward0.
"""

from collections.abc import Sequence
from typing import Any

from numpy import ndarray

from ..array import conv as kernels
from ..array.layout import following_channels
from ..core.connected import Gradient
from ..core.op import Axes, Call, Covectors, Rule, Term, Terms, of, op
from ..core.result_shapes import of_no_image
from ..core.value import shape_of
from .arithmetic import add
from .convert import conj
from .pad import pad
from .structure import expand, permute_to_front, reshape, sum_dims

Sizes = tuple[int, ...]


def _conv(x: ndarray, w: ndarray, /, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> ndarray:
    return kernels.conv(x, w, stride, padding, dilation, groups)


def _transpose(
    y: ndarray, w: ndarray, /, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int, size: Sizes
) -> ndarray:
    return kernels.conv_transpose(y, w, stride, padding, dilation, groups, size)


def _weight(
    x: ndarray, y: ndarray, /, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> ndarray:
    return kernels.conv_weight(x, y, kernel, stride, padding, dilation, groups)


def _with_groups(weight: Term, size: int) -> Term:
    """Return a batch of weights (B, O, I, *k) as one weight of B times the groups: (B·O, I, *k)."""
    shape = shape_of(weight)
    return reshape(weight, (size * shape[1], *shape[2:]))


def _as_channels(x: Term, size: int) -> Term:
    """Return a batch of inputs (B, N, C, *s) with the batch among the channels: (N, B·C, *s)."""
    moved = permute_to_front(x, 1)
    shape = shape_of(moved)
    return reshape(moved, (shape[0], size * shape[2], *shape[3:]))


def _from_channels(y: Term, size: int) -> Term:
    """Return (N, B·C, *s) back to (B, N, C, *s)."""
    shape = shape_of(y)
    return permute_to_front(reshape(y, (shape[0], size, shape[1] // size, *shape[2:])), 1)


def _repeat(x: Term, size: int) -> Term:
    return expand(reshape(x, (1, *shape_of(x))), (size, *shape_of(x)))


def _fronts(values: Sequence[Any], dims: Axes) -> list[Any]:
    return [v if d is None else permute_to_front(v, d) for v, d in zip(values, dims, strict=True)]


def _fold(x: Term) -> Term:
    """Return (B, N, …) as (B·N, …)."""
    shape = shape_of(x)
    return reshape(x, (shape[0] * shape[1], *shape[2:]))


def _unfold(y: Term, size: int) -> Term:
    shape = shape_of(y)
    return reshape(y, (size, shape[0] // size, *shape[1:]))


def _batch_conv(
    size: int, values: Terms, dims: Axes, stride: Sizes, padding: Sizes,
    dilation: Sizes, groups: int,
) -> Any:  # fmt: skip
    x, w = _fronts(values, dims)
    if dims[1] is None:
        return _unfold(conv(_fold(x), w, stride, padding, dilation, groups), size)
    x = _repeat(x, size) if dims[0] is None else x
    y = conv(_as_channels(x, size), _with_groups(w, size), stride, padding, dilation, groups * size)
    return _from_channels(y, size)


def _batch_transpose(
    size: int, values: Terms, dims: Axes, stride: Sizes, padding: Sizes,
    dilation: Sizes, groups: int, target: Sizes,
) -> Any:  # fmt: skip
    y, w = _fronts(values, dims)
    if dims[1] is None:
        return _unfold(conv_transpose(_fold(y), w, stride, padding, dilation, groups, target), size)
    y = _repeat(y, size) if dims[0] is None else y
    x = conv_transpose(
        _as_channels(y, size), _with_groups(w, size), stride, padding, dilation, groups * size, target
    )
    return _from_channels(x, size)


def _batch_weight(
    size: int, values: Terms, dims: Axes, kernel: Sizes, stride: Sizes,
    padding: Sizes, dilation: Sizes, groups: int,
) -> Any:  # fmt: skip
    x, y = (
        v if d is not None else _repeat(v, size) for v, d in zip(_fronts(values, dims), dims, strict=True)
    )
    w = conv_weight(
        _as_channels(x, size), _as_channels(y, size), kernel, stride, padding, dilation, groups * size
    )
    shape = shape_of(w)
    return reshape(w, (size, shape[0] // size, *shape[1:]))


def _like(y: Term, shape: Sizes) -> Term:
    """Return a convolution cut to the places of `shape`: output padding above the stride makes more room."""
    have = shape_of(y)
    if have[2:] == tuple(shape[2:]):
        return y
    cut = tuple((0, want - n) for n, want in zip(have[2:], shape[2:], strict=True))
    return pad(y, ((0, 0), (0, 0), *cut), 0)


def _weight_of_no_image(x: ndarray, y: ndarray, *attrs: Any) -> Any:
    """Return the shape rule of `conv_weight`."""
    result = _weight(x[:0], y[:0], *attrs)
    return ((result.shape, result.dtype),)


def _place(result: ndarray, operands: Sequence[Any]) -> ndarray:
    """Return one axis is convolved as two, the first of size 1, with the input in C order."""
    if result.ndim != 3:
        return following_channels(result, operands)
    return following_channels(result[:, :, None], (operands[1][:, :, None],))[:, :, 0]


#: torch has one node for the gradients of all inputs.
_JOINT = Gradient(zeros=False, by=2)


def _declare(
    name: str, kernel: Rule, rules: tuple[Rule, Rule], batch_rule: Rule, shape: Rule,
    saves: tuple[str, ...] = (),
) -> Call:
    return op(
        name, kernel, rules, kind="bilinear", node_name="ConvolutionBackward0", batch_rule=batch_rule,
        place=_place, gradient=_JOINT, shape=shape, saves=saves, absent=1, saved_as=("input", "weight"),
    )  # fmt: skip


#: y[n, o] = Σ_i w[i]·x[n, o·stride + i·dilation − padding].
conv: Call = _declare(
    "conv", _conv,
    (
        lambda g, w, shape_x, stride, padding, dilation, groups: conv_transpose(
            g, conj(w), stride, padding, dilation, groups, shape_x[2:]
        ),
        lambda g, x, shape_w, stride, padding, dilation, groups: conv_weight(
            conj(x), g, shape_w[2:], stride, padding, dilation, groups
        ),
    ),
    _batch_conv,
    of_no_image(_conv),
    saves=("x", "w"),
)  # fmt: skip

#: The transpose of `conv` in x; `size` is the spatial size of the result.
conv_transpose: Call = _declare(
    "conv_transpose", _transpose,
    (
        lambda g, w, shape_y, stride, padding, dilation, groups: _like(
            conv(g, conj(w), stride, padding, dilation, groups), shape_y
        ),
        lambda g, y, shape_w, stride, padding, dilation, groups: conv_weight(
            g, conj(y), shape_w[2:], stride, padding, dilation, groups
        ),
    ),
    _batch_transpose,
    of_no_image(_transpose),
    saves=("y", "w"),
)  # fmt: skip

#: The transpose of `conv` in w; `kernel` is the spatial size of the weight.
conv_weight: Call = _declare(
    "conv_weight", _weight,
    (
        lambda g, y, shape_x, stride, padding, dilation, groups: conv_transpose(
            conj(y), g, stride, padding, dilation, groups, shape_x[2:]
        ),
        lambda g, x, shape_y, stride, padding, dilation, groups: _like(
            conv(conj(x), g, stride, padding, dilation, groups), shape_y
        ),
    ),
    _batch_weight,
    _weight_of_no_image,
)  # fmt: skip


def _conv_biased(
    x: ndarray, w: ndarray, b: ndarray, /, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> ndarray:
    return kernels.conv(x, w, stride, padding, dilation, groups, b)


def _transpose_biased(
    y: ndarray, w: ndarray, b: ndarray, /, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int,
    size: Sizes
) -> ndarray:
    return kernels.add_bias(kernels.conv_transpose(y, w, stride, padding, dilation, groups, size), b)


def sum_channels(g: Term) -> Term:
    """Return the covector of a bias: the sum over images and places."""
    return sum_dims(g, (0, *range(2, len(shape_of(g)))), False)


def bias_shape(b: Term, rank: int) -> Term:
    """Return a bias as it broadcasts against (N, O, *spatial)."""
    return reshape(b, (*shape_of(b), *(1,) * (rank - 2)))


def _biased_jvp(plain: Call) -> Rule:
    def jvp(primals: Terms, tangents: Covectors, out: Term, *attrs: Any) -> Any:
        (x, w, _), (tx, tw, tb) = primals, tangents
        parts = [] if tx is None else [plain(tx, w, *attrs)]
        parts += [] if tw is None else [plain(x, tw, *attrs)]
        total = None
        for part in parts:
            total = part if total is None else total + part
        if tb is None:
            return total
        bias = bias_shape(tb, len(shape_of(out)))
        return expand(bias, shape_of(out)) if total is None else add(total, bias)

    return jvp


def _biased_batch(plain: Call) -> Rule:
    def rule(size: int, values: Terms, dims: Axes, *attrs: Any) -> Any:
        x, w, b = values
        if dims[0] is None and dims[1] is None:
            y = plain(x, w, *attrs)
            rank = len(shape_of(y))
        else:
            assert plain.op.batch_rule is not None
            y = plain.op.batch_rule(size, (x, w), dims[:2], *attrs)
            rank = len(shape_of(y)) - 1
        if dims[2] is None:
            return add(y, bias_shape(b, rank))
        b = permute_to_front(b, dims[2])
        return add(y, reshape(b, (size, 1, shape_of(b)[1], *(1,) * (rank - 2))))

    return rule


#: `conv` plus a bias per output channel.
conv_biased: Call = op(
    "conv_biased", _conv_biased, (*of(conv).rules, lambda g: sum_channels(g)),
    node_name="ConvolutionBackward0", jvp=_biased_jvp(conv), batch_rule=_biased_batch(conv), place=_place,
    shape=of_no_image(_conv_biased),
    gradient=_JOINT, saves=("x", "w"),
)  # fmt: skip

#: `conv_transpose` plus a bias per output channel.
conv_transpose_biased: Call = op(
    "conv_transpose_biased", _transpose_biased, (*of(conv_transpose).rules, lambda g: sum_channels(g)),
    halves=True, node_name="ConvolutionBackward0", jvp=_biased_jvp(conv_transpose),
    batch_rule=_biased_batch(conv_transpose), place=_place,
    shape=of_no_image(_transpose_biased),
    gradient=_JOINT, saves=("y", "w"),
)  # fmt: skip
