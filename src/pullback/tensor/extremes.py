"""Maxima, minima, medians, running values, differences and quantiles under torch's names."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from .. import errors
from ..array import dtypes
from ..array.dtype_words import c_name
from ..core.meta import Meta, looked_at
from ..core.promotion import unsupported
from ..core.tracer import is_traced
from ..core.value import TensorBase, array_of, dtype_of, shape_of, wrap
from ..errors import with_name
from ..ops import cumulative as c
from ..ops import extreme as e
from ..ops.arithmetic import mul, sub
from ..ops.comparison import gt, isnan, logical_xor, where
from ..ops.convert import cast
from ..ops.elementwise import ceil, floor
from ..ops.elementwise import round as rint
from ..ops.gather import gather
from ..ops.join import cat
from ..ops.mixture import lerp, lerp_tensor
from ..ops.sort import sort
from ..ops.structure import expand, permute, reshape, squeezed, sum_dims
from ..ops.view import slice_dim
from .inplace_variants import InPlace
from .operands import declare
from .reductions import accumulated, one_dim, reduced_dims, reduction
from .return_types import return_type
from .sizes import NOT_GIVEN, integer, tensor

_F = Callable[..., Any]


def _refuse_complex(x: Any, kernel: str) -> None:
    if dtype_of(x).kind in "cW":
        raise unsupported(kernel, (), dtype_of(x))


def _check_row(name: str, shape: tuple[int, ...], dim: int) -> None:
    if shape and shape[dim] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")


def _named(name: str, pair: tuple[Any, ...]) -> Any:
    return return_type(name, "values", "indices")(pair)


# --- maximum and minimum ------------------------------------------------------------------------------------


def _extreme(name: str, all_op: _F, dim_op: _F, pairwise: Callable[[], _F]) -> _F:
    def function(input: Any, dim: Any = NOT_GIVEN, keepdim: bool = False, *, other: Any = None) -> Any:
        tensor(name, "input", input)
        if other is not None or (type(dim) is not int and isinstance(dim, TensorBase)):
            if keepdim is not False:
                raise errors.argument_type(name, "dim", 2, "int", dim)
            return pairwise()(input, dim if other is None else other)
        shape = shape_of(input)
        if dim is NOT_GIVEN:
            if keepdim:
                raise TypeError("no dim")  # said in torch's words by what reads the whole call
            _refuse_complex(input, f"{name}_all")
            if 0 in shape:
                raise RuntimeError(
                    f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                    "reduction dim with the 'dim' argument."
                )
            return all_op(input)
        if not isinstance(dim, (int, np.integer)):
            signatures: Any = {
                "()": [("", lambda v: False)],
                "(Tensor other)": [("other", lambda v: isinstance(v, TensorBase))],
                "(int dim, bool keepdim = False)": [],
            }  # fmt: skip
            raise errors.invalid_combination(name, (dim,), {}, signatures)
        found = one_dim(dim, len(shape))
        if dtype_of(input).kind in "cW":
            raise RuntimeError(f"{name}(): does not support complex input")
        _check_row(name, shape, found)
        return _named(name, dim_op(input, found, keepdim))

    return with_name(
        function, name,
        f"Return the {'largest' if name == 'max' else 'smallest'} element; with `dim`, values and indices "
        "along it; with a second tensor, element by element.",
    )  # fmt: skip


def _binary(name: str) -> Callable[[], _F]:
    def find() -> _F:
        from ..core.op import TABLE

        return TABLE[name].public

    return find


reduction(_extreme("max", e.max_all, e.max_dim, _binary("maximum")))
reduction(_extreme("min", e.min_all, e.min_dim, _binary("minimum")))


def _bare(name: str, call: _F) -> _F:
    def function(input: Any, dim: Any = (), keepdim: bool = False) -> Any:
        tensor(name, "input", input)
        _refuse_complex(input, "max_values_cpu" if name == "amax" else "min_values_cpu")
        shape = shape_of(input)
        dims = reduced_dims(dim, len(shape))
        if 0 in shape:
            if dim is None or dim == () or dim == []:
                raise RuntimeError(
                    f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                    "reduction dim with the 'dim' argument."
                )
            for d in dims:
                _check_row(name, shape, d)
        return call(input, dims, keepdim)

    which = "largest" if name == "amax" else "smallest"
    return with_name(function, name, f"Return the {which} element over `dim`; ties share the gradient.")


amax = reduction(_bare("amax", e.amax))
amin = reduction(_bare("amin", e.amin))


@reduction
def aminmax(input: Any, *, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the smallest and the largest element, over `dim` if given."""
    tensor("aminmax", "input", input)
    shape = shape_of(input)
    if dim is None and 0 in shape:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    dims = reduced_dims(dim, len(shape))
    for d in dims:
        _check_row("aminmax", shape, d)
    return return_type("aminmax", "min", "max")(e.aminmax(input, dims, keepdim))


def _arg(name: str, call: _F) -> _F:
    def function(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
        tensor(name, "input", input)
        kind = dtype_of(input).kind
        shape = shape_of(input)
        if dim is None and 0 in shape:
            raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
        if kind in "cWb":
            raise RuntimeError(f"{name}(): does not support {'complex' if kind in 'cW' else 'bool'} input")
        if dim is None:
            flat = call(reshape(input, (math.prod(shape),)), 0, False)
            return reshape(flat, (1,) * len(shape)) if keepdim else flat
        found = one_dim(dim, len(shape))
        _check_row(name, shape, found)
        return call(input, found, keepdim)

    which = "largest" if name == "argmax" else "smallest"
    return with_name(function, name, f"Return where the {which} element is, along `dim` or of all.")


argmax = reduction(_arg("argmax", e.argmax))
argmin = reduction(_arg("argmin", e.argmin))


# --- order statistics ---------------------------------------------------------------------------------------


def _middle(name: str, all_op: _F, dim_op: _F) -> _F:
    def function(input: Any, dim: Any = NOT_GIVEN, keepdim: bool = False) -> Any:
        tensor(name, "input", input)
        _refuse_complex(input, "median_cpu" if dim is NOT_GIVEN else "median_out")
        if dim is NOT_GIVEN:
            if keepdim:
                raise TypeError("no dim")  # said in torch's words by what reads the whole call
            return all_op(input)
        shape = shape_of(input)
        found = one_dim(dim, len(shape))
        _check_row("median", shape, found)
        return _named(name, dim_op(input, found, keepdim))

    text = "Return the lower median of all elements, or values and indices along `dim`."
    return with_name(function, name, text)


median = reduction(_middle("median", e.median_all, e.median))
nanmedian = reduction(_middle("nanmedian", e.nanmedian_all, e.nanmedian))


@reduction
def mode(input: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """Return the most frequent element along `dim` and where it last is."""
    tensor("mode", "input", input)
    found = one_dim(dim, len(shape_of(input)))
    _check_row("mode", shape_of(input), found)
    return _named("mode", e.mode(input, found, keepdim))


@reduction
def kthvalue(input: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """Return the `k`-th smallest element along `dim`, from 1, and where it is."""
    tensor("kthvalue", "input", input)
    k = integer("kthvalue", "k", 2, k)
    shape = shape_of(input)
    found = one_dim(dim, len(shape))
    _check_row("kthvalue", shape, found)
    if not 1 <= k <= (shape[found] if shape else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {found}")
    return _named("kthvalue", e.kthvalue(input, k, found, keepdim))


# --- running values -----------------------------------------------------------------------------------------


def _numbers(name: str, x: Any) -> Any:
    if dtype_of(x).kind == "b" and shape_of(x):
        raise unsupported(f"{name}_out_cpu", (), dtype_of(x))
    return x


def _own_dtype(input: Any, dtype: Any) -> Any:
    """Return the dtype in which an in-place running sum or product accumulates: the input's."""
    own = dtypes.from_numpy_dtype(dtype_of(input))
    if dtype not in (None, own):
        raise RuntimeError(
            f"Bad in-place call: input tensor dtype {c_name(own.numpy)} and output tensor dtype "
            f"{c_name(dtype.numpy)} should match"
        )
    return own


def _cumsum_(input: Any, *args: Any, dtype: Any = None, **named: Any) -> Any:
    return cumsum(input, *args, dtype=_own_dtype(input, dtype), **named)


def _cumprod_(input: Any, *args: Any, dtype: Any = None, **named: Any) -> Any:
    return cumprod(input, *args, dtype=_own_dtype(input, dtype), **named)


@reduction(inplace=InPlace(written=_cumsum_))
def cumsum(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """Return the running sum along `dim`."""
    tensor("cumsum", "input", input)
    return c.cumsum(_numbers("cumsum", accumulated(input, dtype)), one_dim(dim, len(shape_of(input))), False)


@reduction(inplace=InPlace(written=_cumprod_))
def cumprod(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """Return the running product along `dim`."""
    tensor("cumprod", "input", input)
    return c.cumprod(_numbers("cumprod", accumulated(input, dtype)), one_dim(dim, len(shape_of(input))))


@reduction
def logcumsumexp(input: Any, dim: int) -> Any:
    """Return log of the running sum of exponentials along `dim`."""
    tensor("logcumsumexp", "input", input)
    found = one_dim(dim, len(shape_of(input)))
    if dtype_of(input).kind in "biu":
        raise unsupported("logcumsumexp_out_cpu", (), dtype_of(input))
    return c.logcumsumexp(input, found)


def _dim_of_extreme(name: str, input: Any, dim: Any) -> int:
    tensor(name, "input", input)
    if not shape_of(input) and type(dim) is int and dim not in (-1, 0):
        raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
    if shape_of(input):
        _refuse_complex(input, f"{name}_cpu")
    return one_dim(dim, len(shape_of(input)))


@reduction
def cummax(input: Any, dim: int) -> Any:
    """Return the largest element so far along `dim` and where it is."""
    return _named("cummax", e.cummax(input, _dim_of_extreme("cummax", input, dim)))


@reduction
def cummin(input: Any, dim: int) -> Any:
    """Return the smallest element so far along `dim` and where it is."""
    return _named("cummin", e.cummin(input, _dim_of_extreme("cummin", input, dim)))


def diff(input: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Return differences of neighbours along `dim`, `n` times over."""
    if not (shape := shape_of(input)):
        raise RuntimeError("diff expects input to be at least one-dimensional")
    for end in (prepend, append):
        if end is not None:
            _check_end(shape, shape_of(end), one_dim(dim, len(shape)))
    if n == 0:
        # As in torch, which does not look at the dim then.
        return input.new_zeros(shape).copy_(input)
    found = one_dim(dim, len(shape))
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    ends = [x for x in (prepend, input, append) if x is not None]
    x = cat(ends, found) if len(ends) > 1 else input
    subtract = logical_xor if dtype_of(x).kind == "b" else sub
    for _ in range(min(n, shape_of(x)[found])):
        size = shape_of(x)[found]
        x = subtract(slice_dim(x, found, 1, size, 1), slice_dim(x, found, 0, size - 1, 1))
    return x


def _check_end(shape: tuple[int, ...], end: tuple[int, ...], dim: int) -> None:
    """Raise torch's error where what `diff` puts at an end is not of the input's shape."""
    if len(end) != len(shape):
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for axis, (own, other) in enumerate(zip(shape, end, strict=True)):
        if own != other and axis != dim:
            raise RuntimeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along "
                f"the differencing dimension; input.size({axis}) = {own}, but got tensor.size({axis}) = "
                f"{other}"
            )


declare(
    "diff", diff,
    "(Tensor input, int n = 1, int dim = -1, Tensor prepend = None, Tensor append = None, *, "
    "Tensor out = None)", inplace=False,
)


# --- quantiles ----------------------------------------------------------------------------------------------


def _quantile(name: str, input: Any, q: Any, dim: Any, keepdim: bool, interpolation: str) -> Any:
    tensor(name, "input", input)
    if not isinstance(q, TensorBase) and not 0 <= q <= 1:
        raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
    if 0 in shape_of(input):
        raise RuntimeError("quantile() input tensor must be non-empty")
    if (kind := dtype_of(input)) not in (np.float32, np.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if len(several := shape_of(q)) > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if isinstance(q, TensorBase) and dtype_of(q) != kind:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
    if is_traced(q):
        q = e.probabilities(q)
    elif isinstance(q, TensorBase):
        if isinstance(q._value, Meta):
            looked_at(q, e.check_probabilities)
        else:
            e.check_probabilities(array_of(q))
    shape = shape_of(input)
    if dim is None:
        own, x = 0, reshape(input, (int(np.prod(shape)),))
    else:
        own, x = one_dim(dim, len(shape)), input
    x = reshape(x, (1,)) if not shape_of(x) else x
    row = shape_of(x)
    last = len(row) - 1
    turned = permute(x, (*(d for d in range(last + 1) if d != own), own))
    found = _quantile_rows(turned, q, interpolation, name == "nanquantile")
    rest = shape_of(turned)[:-1]
    if several:
        found = permute(found, (last, *range(last)))
    kept = (1,) * len(shape) if dim is None else tuple(1 if d == own else s for d, s in enumerate(shape))
    result = squeezed(found, (*several, *(kept if keepdim else rest)))
    if type(result._counter) is list:
        # torch interpolates and turns the result in place, which counts as updates.
        result._counter[0] = 1 + 2 * len(several) + (interpolation in ("linear", "midpoint"))
    return result


@reduction
def quantile(
    input: Any, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Any:
    """Return the quantiles `q` of all elements, or along `dim`; the dim of `q` comes first."""
    return _quantile("quantile", input, q, dim, keepdim, interpolation)


@reduction
def nanquantile(
    input: Any, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Any:
    """Return `quantile` of what is not nan."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation)


INT64 = np.dtype(np.int64)


def _quantile_rows(x: Any, q: Any, interpolation: str, skip: bool) -> Any:
    """Return quantiles along the last dim, a place for each point there; with `skip`, of what is not nan."""
    kind, shape = dtype_of(x), shape_of(x)
    last = len(shape) - 1
    given = q if isinstance(q, TensorBase) else wrap(np.asarray(q, kind))
    given = reshape(given, (prod(shape_of(given)),))
    whole = (*shape[:-1], *shape_of(given))
    ordered = sort(x, last, False)[0]
    nans = sum_dims(cast(isnan(x), kind), (last,), True)
    most = np.asarray(shape[-1] - 1, kind)
    if skip:
        row = sub(most, nans)
        top = where(gt(row, np.zeros((), kind)), row, np.zeros((), kind))
    else:
        top = wrap(most)
    ranks = mul(given, top)
    if not skip:
        ranks = where(gt(nans, np.zeros((), kind)), most, ranks)
    rounding = {"lower": floor, "higher": ceil, "nearest": rint}.get(interpolation)
    if rounding is not None:
        return gather(ordered, cast(expand(rounding(ranks), whole), INT64), last)
    below, above = expand(floor(ranks), whole), expand(ceil(ranks), whole)
    low = gather(ordered, cast(below, INT64), last)
    high = gather(ordered, cast(above, INT64), last)
    if interpolation == "midpoint":
        return lerp(low, high, 0.5)
    return lerp_tensor(low, high, sub(expand(ranks, whole), below))
