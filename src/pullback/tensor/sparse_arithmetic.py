"""Elementwise functions of sparse tensors: of entries one by one, and of two tensors."""

import functools
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ..array import dtypes
from ..array.dtype_words import unlike
from ..core.op import TABLE
from ..core.promotion import broadcast_shape
from ..core.value import array_of, wrap
from .compressed import CSC, CSR, CompressedTensor, coordinates, of_entries, refuse_blocks, with_values
from .compressed import dense as dense_of_compressed
from .compressed import refuse as refuse_compressed
from .indexing import index_put
from .join import cat
from .sparse import SparseTensor, become, dense, in_backend, refuse, sparse
from .sparse_conversion import to_compressed
from .sparse_refusals import refusal
from .tensor import Tensor

Function = Callable[..., Any]

# --- of one tensor ------------------------------------------------------------------------------------------

def with_entries(x: Any, values: Any) -> Any:
    """Return a tensor with the same places and other values."""
    return with_values(x, values) if isinstance(x, CompressedTensor) else x._spread(values)


def _each(name: str, summed: bool = True) -> Function:
    """Return a function of each element; where it is not linear, repeated elements are added up before."""

    def apply(x: Any, *args: Any, **kwargs: Any) -> Any:
        x = x.coalesce() if summed and x.is_sparse else x
        return with_entries(x, getattr(x._what, name)(*args, **kwargs))

    return apply


def _each_in_place(name: str, summed: bool = True) -> Function:
    def apply(x: Any, *args: Any, **kwargs: Any) -> Any:
        if summed and x.is_sparse and not x._unique:
            raise RuntimeError(f"{name}_ requires coalesced input")
        getattr(x._plain, f"{name}_")(*args, **kwargs)
        return x

    return apply


@functools.cache
def of_zero(name: str) -> Function | None:
    """Return a method, or its in-place variant, that leaves zero zero, for sparse tensors of all layouts."""
    base = name.removesuffix("_")
    op = TABLE.get(base)
    if op is None or op.kind != "elementwise" or len(op.inputs) > 1 or op.attrs or not hasattr(Tensor, name):
        return None
    if base in ("angle", "bitwise_not") or np.any(op.evaluate((np.zeros(()),), ())):
        return None
    return _each(name) if name == base else _each_in_place(base)


def _round(x: Any, *, decimals: int | None = None) -> Any:
    if decimals is not None:
        refuse("special_round") if x.is_sparse else refuse_compressed(x._kind, "special_round")
    return _each("round")(x)


def _power(x: Any, exponent: Any) -> Any:
    """Return the power with a number, of coordinates."""
    if not isinstance(x, SparseTensor):
        raise refusal("pow", x._kind.short, (x, exponent))
    if isinstance(exponent, Tensor):
        raise refusal("pow", "coo", (x, exponent))
    if exponent == 0:
        raise RuntimeError(
            "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense"
        )
    return _each("pow")(x, exponent)


def _float_power(x: Any, exponent: Any) -> Any:
    wide = dtypes.complex128 if x.is_complex() else dtypes.float64
    return _power(_each("to", summed=False)(x, wide), exponent)


# --- sums ---------------------------------------------------------------------------------------------------


def add(x: Any, y: Any, *, alpha: Any = 1) -> Any:
    """Return ``x + alpha·y``, one of which is sparse."""
    if isinstance(x, CompressedTensor) or isinstance(y, CompressedTensor):
        return _add_compressed(x, y, alpha)
    if not isinstance(y, SparseTensor):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if not isinstance(x, SparseTensor):
        return _add_to_dense(x, y, alpha) if isinstance(x, Tensor) else add(y, x)
    if x.shape != y.shape:
        raise RuntimeError(
            f"add: expected sizes of 'self' and 'other' to match, but {list(x.shape)} != {list(y.shape)}"
        )
    if (kind := dtypes.promote_types(x.dtype, y.dtype)) is dtypes.bool:
        raise NotImplementedError("\"cadd_sparse\" not implemented for 'Bool'")
    scaled = y._what if alpha == 1 else y._what * alpha
    if np.array_equal(x._where.numpy(), y._where.numpy()):
        return sparse(x._where, x._what + scaled, x.shape, x._unique and y._unique)
    where, what = cat([x._where, y._where], 1), cat([x._what.to(kind), scaled.to(kind)])
    summed = sparse(where, what, x.shape)
    return summed.coalesce() if x._unique and y._unique else summed


def _add_to_dense(x: Any, y: SparseTensor, alpha: Any) -> Any:
    if x.shape != y.shape:
        raise RuntimeError(
            f"add: expected 'self' and 'other' to have same size, but self has size {list(x.shape)} while "
            f"other has size {list(y.shape)} (FYI: dense-sparse addition does not currently support "
            "broadcasting)"
        )
    if not y.sparse_dim():
        return x + dense(y) * alpha
    kind = dtypes.promote_types(x.dtype, y.dtype)
    scaled = y._what if alpha == 1 else y._what * alpha
    return index_put(x.to(kind), tuple(y._where), scaled.to(kind), accumulate=True)


def _add_compressed(x: Any, y: Any, alpha: Any) -> Any:
    if not isinstance(x, CompressedTensor):
        x, y, swapped = y, x, True
    else:
        swapped = False
    if not isinstance(y, Tensor):
        y = wrap(np.asarray(y, dtypes.get_default_dtype().numpy))
    if not y._sparse:
        if x.shape != y.shape:
            raise RuntimeError(
                f"add: expected 'self' and 'other' to have same size, but self has size {list(y.shape)} "
                f"while other has size {list(x.shape)} (FYI: op2-sparse addition does not currently support "
                "broadcasting)"
            )
        if x._kind not in (CSR, CSC):
            raise RuntimeError("src.layout() == kSparseCsr || src.layout() == kSparseCsc")
        full = dense_of_compressed(x)
        return y + full * alpha if swapped else y * alpha + full
    if isinstance(y, SparseTensor):
        raise RuntimeError("memory format option is only supported by strided tensors")
    if x.shape != y.shape:
        raise RuntimeError(
            f"torch.add: Expected input tensors to have the same shape, but got tensor `self` with shape "
            f"{list(x.shape)} and tensor `other` with shape {list(y.shape)}"
        )
    if x is y:
        return with_values(x, x._what + (x._what if alpha == 1 else x._what * alpha))
    x._part("crow_indices", True, None)
    if x.dtype is not y.dtype:
        raise unlike(y.dtype.numpy, x.dtype.numpy)
    first, second = coordinates(x), coordinates(y)
    scaled = second._what if alpha == 1 else second._what * alpha
    summed = sparse(cat([first._where, second._where], 1), cat([first._what, scaled]), x.shape)
    return to_compressed(summed.coalesce(), x._kind)


def subtract(x: Any, y: Any, *, alpha: Any = 1) -> Any:
    """Return ``x − alpha·y``."""
    if isinstance(x, CompressedTensor) or isinstance(y, CompressedTensor):
        refuse_compressed((x if isinstance(x, CompressedTensor) else y)._kind, "sub")
    return add(x, y, alpha=-alpha)


# --- products and quotients ---------------------------------------------------------------------------------


def multiply(x: Any, y: Any, inplace: bool = False) -> Any:
    """Return ``x · y``, one of which is sparse."""
    if not isinstance(x, (SparseTensor, CompressedTensor)):
        x, y, inplace = y, x, True  # torch writes into the product's own layout
    if not isinstance(y, Tensor) or (not y.dim() and not y._sparse):
        return with_entries(x, x._what * y)
    if isinstance(x, CompressedTensor) or isinstance(y, CompressedTensor):
        return _multiply_compressed(x, y, inplace)
    return _met(x, y) if isinstance(y, SparseTensor) else _times_dense(x, y)


def _met(x: SparseTensor, y: SparseTensor) -> SparseTensor:
    """Return the products of entries at places that both have."""
    if x.shape != y.shape or x.sparse_dim() != y.sparse_dim():
        raise RuntimeError(
            "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number "
            "of sparse dimensions, and shape of sparse dimensions"
        )
    if dtypes.promote_types(x.dtype, y.dtype) is dtypes.bool:
        raise NotImplementedError("\"mul_out_sparse\" not implemented for 'Bool'")
    x, y = x.coalesce(), y.coalesce()
    sizes = x.shape[: x.sparse_dim()]
    first, second = (np.ravel_multi_index(tuple(array_of(t._where)), sizes) for t in (x, y))
    _, own, other = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    own, other = (places.astype(np.int64) for places in (own, other))
    values = x._what.index_select(0, wrap(own)) * y._what.index_select(0, wrap(other))
    return sparse(wrap(array_of(x._where)[:, own]), values, x.shape, unique=True)


def _times_dense(x: SparseTensor, y: Any) -> SparseTensor:
    """Return entries times the elements at their places, of a tensor that broadcasts."""
    shape = broadcast_shape(tuple(y.shape), tuple(x.shape))
    where, values, count = array_of(x._where), x._what, x._nnz()
    before = len(shape) - x.dim()
    if shape[before:] != tuple(x.shape):
        return multiply(x.to_dense().expand(shape).to_sparse(), y)
    if before:
        front = np.indices(shape[:before]).reshape(before, -1)
        where = np.concatenate([np.repeat(front, count, 1), np.tile(where, (1, front.shape[1]))])
        values = values.repeat(front.shape[1], *(1,) * (values.dim() - 1))
    full = y.expand(shape)
    found = full[tuple(map(wrap, where))] if len(where) else full[None]
    return sparse(wrap(where), values * found, shape, x._unique)


def _multiply_compressed(x: Any, y: Any, inplace: bool = False) -> Any:
    x, y = (x, y) if isinstance(x, CompressedTensor) else (y, x)
    if x._kind is not CSR:
        if not inplace:
            refuse_blocks(x._kind)
        raise RuntimeError("Expected result Tensor to be of format CSR")
    if not y._sparse:
        if x.shape != y.shape:
            raise RuntimeError(
                f"sparse_mask(): operands have incompatible sizes; self has size {list(y.shape)} but mask "
                f"has size {list(x.shape)}"
            )
        rows, columns, found = of_entries(x)
        return with_values(x, found * y[wrap(rows), wrap(columns)])
    met = _met(coordinates(x), coordinates(y) if isinstance(y, CompressedTensor) else y)
    return to_compressed(met, x._kind)


def _divisor(x: Any, y: Any, word: str) -> None:
    """Raise torch's error where one tensor is not divided by another."""
    for t in (x, y):
        if isinstance(t, CompressedTensor):
            refuse_compressed(t._kind, "floor_divide" if "floor" in word else "div")
    if isinstance(y, Tensor) and (y.dim() or y._sparse):
        raise RuntimeError(
            f"Sparse {word} requires a scalar or zero-dim dense tensor divisor (got shape {list(y.shape)} "
            "for divisor)"
        )


def divide(x: Any, y: Any, *, rounding_mode: str | None = None) -> Any:
    """Return ``x / y``, `y` being a number."""
    _divisor(x, y, "division")
    if rounding_mode is None:
        return with_entries(x, x._what / y)
    x = x.coalesce()
    return with_entries(x, x._what.div(y, rounding_mode=rounding_mode))


def floor_divide(x: Any, y: Any) -> Any:
    """Return ``⌊x / y⌋``, `y` being a number."""
    _divisor(x, y, "floor division")
    x = x.coalesce()
    return with_entries(x, x._what.floor_divide(y))


def _reversed_difference(x: Any, y: Any) -> NoReturn:
    """Return ``y − x`` of a number y."""
    if isinstance(x, CompressedTensor):
        refuse_compressed(x._kind, "sub")
    _add_to_dense(wrap(np.asarray(y)), x, -1)
    refuse("rsub")


def _power_of(x: Any, base: Any) -> NoReturn:
    """Return a number to the powers of a tensor."""
    if x.is_sparse:
        in_backend("pow.Scalar", "SparseCPU")
    refuse_blocks(x._kind)
    in_backend("pow.Scalar_out", "SparseCsrCPU")


# --- in place -----------------------------------------------------------------------------------------------


def _twin(function: Function, name: str) -> Function:
    """Return the function that writes its result into the first argument."""

    def apply(x: Any, y: Any, **options: Any) -> Any:
        if name == "mul":
            if not x._sparse and isinstance(y, CompressedTensor):
                raise RuntimeError("Expected result Tensor to be of format CSR")
            result = multiply(x, y, inplace=True)
        else:
            result = function(x, y, **options)
        kind = dtypes.promote_types(x.dtype, y.dtype) if isinstance(y, Tensor) and y.dim() else x.dtype
        if not dtypes.can_cast(kind, x.dtype):
            raise RuntimeError(
                f"Can't convert result type {kind.scalar_type} to output {x.dtype.scalar_type} in "
                f"{'mul' if x._sparse and name == 'mul' else 'add'} operation"
            )
        if not x._sparse:
            if result._sparse and name != "mul":
                raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
            return x.copy_(result.to_dense() if result._sparse else result)
        if not result._sparse:
            if isinstance(x, CompressedTensor):
                x.is_contiguous()
            refuse(f"{name}_")
        become(x, result if result.dtype is x.dtype else result.to(x.dtype))
        if name == "mul" and x.is_sparse and not (isinstance(y, Tensor) and y._sparse):
            x._unique = x._nnz() < 2
        return x

    return apply


#: What both kinds of sparse tensors have.
ARITHMETIC: dict[str, Function] = {
    "isneginf": _each("isneginf"), "isposinf": _each("isposinf"),
    "neg": _each("neg", summed=False), "neg_": _each_in_place("neg", summed=False), "round": _round,
    "add": add, "sub": subtract, "mul": multiply, "div": divide, "floor_divide": floor_divide,
    "add_": _twin(add, "add"), "sub_": _twin(subtract, "sub"), "mul_": _twin(multiply, "mul"),
    "rsub": _reversed_difference, "rpow": _power_of,
}  # fmt: skip
#: What tensors of coordinates have besides.
OF_COORDINATES: dict[str, Function] = {
    "conj_physical": _each("conj_physical"), "square": lambda x: x.pow(2), "pow": _power,
    "float_power": _float_power, "nan_to_num": _each("nan_to_num"),
    "div_": _twin(divide, "div"), "floor_divide_": _twin(floor_divide, "floor_divide"),
}  # fmt: skip
#: What compressed ones have.
OF_COMPRESSED: dict[str, Function] = {
    "angle": _each("angle"), "conj_physical": _each("conj_physical"),
    "conj_physical_": _each_in_place("conj_physical"), "fill_": _each_in_place("fill"),
}  # fmt: skip
