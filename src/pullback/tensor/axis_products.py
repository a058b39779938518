"""Products over axes that the caller chooses, under torch's names: tensordot, einsum and their kin."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import prod
from typing import Any

from .. import errors
from ..array.dtype_words import c_name
from ..core.value import dtype_of, shape_of
from ..ops import contract as c
from ..ops.arithmetic import mul
from ..ops.reduce import sum_all
from ..ops.structure import permute, reshape, sum_dims, unsafe_view
from ..ops.view import squeeze
from .api import public
from .contract import dot, lowered
from .out import write_out
from .rearrange import refuse_complex_history
from .shape import reshaped, view
from .signature import Parser
from .sizes import tensor
from .tensor import Tensor, checked_dim


@public
def inner(input: Any, other: Any) -> Any:
    """Return sums of products over the last axes of both."""
    tensor("inner", "input", input)
    tensor("inner", "other", other, 2)
    a, b = shape_of(input), shape_of(other)
    if not a or not b:
        return mul(input, other)
    if a[-1] != b[-1]:
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes {list(a)} and "
            f"{list(b)}"
        )
    return tensordot(input, other, dims=([len(a) - 1], [len(b) - 1]))


_TENSORDOT = Parser(
    "tensordot",
    "(Tensor input, Tensor other, tuple of ints dims_self, tuple of ints dims_other, *, Tensor out = None)",
)


@public(method=False, out=False)
def tensordot(a: Any, b: Any, dims: Any = 2, out: Any = None) -> Any:
    """Sum products over pairs of axes.

    Parameters
    ----------
    a, b : tensors
    dims : int or (list of int, list of int)
        How many last axes of `a` and first axes of `b` to contract, or which.
    """
    if not isinstance(dims, (tuple, list, Tensor, int)):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing "
            f"two lists, but got dims={dims}"
        )
    if isinstance(dims, Tensor) and dims.numel() > 1:
        if dims.size()[0] != 2:
            raise AssertionError(f"dims tensor must have size 2 in first dimension, got {dims.size()[0]}")
        given_a, given_b = dims.tolist()
    elif isinstance(dims, (tuple, list)):
        given_a, given_b = dims
    else:
        if (number := int(dims)) < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if isinstance(dims, int) and dims > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        given_a, given_b = list(range(-number, 0)), list(range(number))
    _TENSORDOT.bind((a, b, given_a, given_b), {} if out is None else {"out": out})
    if len(given_a) != len(given_b):
        raise RuntimeError("both dimension lists should have same length")
    if dtype_of(a) != dtype_of(b):
        raise RuntimeError("both inputs should have same dtype")
    result = _contracted(a, b, given_a, given_b)
    return result if out is None else write_out(out, result, "tensordot", (a, b))


def _contracted(a: Any, b: Any, given_a: Sequence[Any], given_b: Sequence[Any]) -> Any:
    """Return the sum of products over pairs of axes."""
    sa, sb = shape_of(a), shape_of(b)
    ra, rb = len(sa), len(sb)
    over_a, over_b = [], []
    for shown, other in zip(map(operator.index, given_a), map(operator.index, given_b)):
        i, j = checked_dim(shown, ra), checked_dim(other, rb)
        if not (ra and rb):
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        if sa[i] != sb[j] and 1 not in (sa[i], sb[j]):
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {sa[i]} in dim {shown} and second "
                f"has size {sb[j]} in dim {j}"
            )
        over_a.append(i)
        over_b.append(j)
    for i, j in zip(over_a, over_b, strict=True):
        if sa[i] != sb[j]:
            if sa[i] == 1:
                b = sum_dims(b, (j,), True)
            else:
                a = sum_dims(a, (i,), True)
    sa, sb = shape_of(a), shape_of(b)
    free_a = [i for i in range(ra) if i not in over_a]
    free_b = [j for j in range(rb) if j not in over_b]
    kept = (*(sa[i] for i in free_a), *(sb[j] for j in free_b))
    left, right = permute(a, (*free_a, *over_a)), permute(b, (*over_b, *free_b))
    if prod(kept) == 1:
        return reshape(_whole_product(left, right), kept)
    size = prod(sa[i] for i in over_a)
    left = reshape(left, (prod(sa[i] for i in free_a), size))
    right = reshape(right, (size, prod(sb[j] for j in free_b)))
    return reshape(lowered("mm", c.mm, left, right), kept)


def _whole_product(a: Any, b: Any) -> Any:
    """Return the sum of the products of all elements, as torch goes about it."""
    if a.is_contiguous() and b.is_contiguous():
        return dot(*(v if len(shape_of(v)) == 1 else reshape(v, (prod(shape_of(v)),)) for v in (a, b)))
    products = mul(squeeze(a), squeeze(b))
    if dtype_of(products).kind in "fc":
        return sum_all(products)
    return sum_dims(products, tuple(range(len(shape_of(products)))), False)  # integers keep their dtype


@public
def kron(input: Any, other: Any) -> Any:
    """Return the Kronecker product."""
    a, b = shape_of(tensor("kron", "input", input)), shape_of(tensor("kron", "other", other, 2))
    rank = max(len(a), len(b))
    p = (1,) * (rank - len(a)) + a
    q = (1,) * (rank - len(b)) + b
    left = unsafe_view(input, tuple(s for n in p for s in (n, 1)))
    right = unsafe_view(other, tuple(s for n in q for s in (1, n)))
    product, shape = mul(left, right), tuple(m * n for m, n in zip(p, q, strict=True))
    if not product.is_contiguous():
        view(product.detach(), shape)  # raises, as in torch, where the strides do not allow it
    return unsafe_view(product, shape)


@public(namespace="nn.functional", method=False, out=False)
def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """Return ``Σ_ij input1ᵢ · weight[k, i, j] · input2ⱼ + bias[k]``."""
    a, b = shape_of(input1), shape_of(input2)
    named = {"input1": input1, "input2": input2, "weight": weight, "bias": bias}
    kinds = {name: dtype_of(v) for name, v in named.items() if v is not None}
    if len(set(kinds.values())) > 1:
        words = ", ".join(f"{name}: {c_name(kind)}" for name, kind in kinds.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {words}")
    for d in (1, 2):
        checked_dim(d, len(shape_of(weight)))
    n, m = shape_of(weight)[1:3]
    out = shape_of(weight)[0]
    lead = a[:-1]
    if len(a) != len(b):
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {len(a)} and {len(b)}")
    for axis, sizes in enumerate(zip(lead, b[:-1], strict=True)):
        if sizes[0] != sizes[1]:
            raise RuntimeError(
                f"bilinear(): input batch dimensions do not match at dim {axis}: got {sizes[0]} and "
                f"{sizes[1]}"
            )
    for number, size, wanted in ((1, a[-1], n), (2, b[-1], m)):
        if size != wanted:
            raise RuntimeError(
                f"bilinear(): input{number} size does not match weight size: got {size} but expected {wanted}"
            )
    if bias is not None and shape_of(bias) != (out,):
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {shape_of(bias)[0]} but expected {out}"
        )
    refuse_complex_history("_trilinear", input1, weight, input2)
    product = c.trilinear(reshaped(input1, (-1, n)), weight, reshaped(input2, (-1, m)))
    result = reshape(product, (*lead, out))
    return result if bias is None else result + bias


def _operands_by_place(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments of `einsum` without the list that operands may come in."""
    if len(args) == 2 and isinstance(args[1], (list, tuple)) and isinstance(args[0], str) and args[1]:
        return (args[0], *args[1])
    return args


@public(method=False, out=False, arranged=_operands_by_place)
def einsum(*args: Any) -> Any:
    """Return the sum of products over named axes, ``einsum("ij,jk->ik", a, b)``; operands may come as one
    list.

    Pairs of operands are contracted from left to right, each pair by one stacked matrix product.
    """
    from .einsum import contract

    if len(args) < 2:
        raise _too_few()
    if isinstance(args[0], Tensor):
        equation, operands = _from_sublists(args)
    elif isinstance(args[0], str):
        equation, operands = args[0], args[1:]
    else:
        raise errors.argument_type("einsum", "equation", 1, "str", args[0])
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
        if not operands:
            raise _too_few()
    for position, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            raise TypeError(
                f"expected Tensor as element {position} in argument 1, but got {errors.type_name(operand)}"
            )
    return contract(equation, list(operands))


def _too_few() -> ValueError:
    return ValueError(
        "einsum(): must specify the equation string and at least one operand, or at least one operand "
        "and its subscripts list"
    )


def _from_sublists(args: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    def letters(axes: Sequence[Any]) -> str:
        def one(n: Any) -> str:
            if n is Ellipsis:
                return "..."
            if not (n >= 0 and n < 52):
                raise ValueError(
                    "einsum(): subscript in subscript list is not within the valid range [0, 52)"
                )
            return chr(ord("A") + n) if n < 26 else chr(ord("a") + n - 26)

        return "".join(one(n) for n in axes)

    equation = ",".join(letters(axes) for axes in args[1::2])
    operands = args[0 : len(args) - len(args) % 2 : 2]
    if len(args) % 2:
        equation += "->" + letters(args[-1])
    return equation, operands
