"""The functions that sparse tensors have, by name, and how one of them is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import compressed, sparse
from .sparse_arithmetic import ARITHMETIC, OF_COMPRESSED, OF_COORDINATES
from .sparse_conversion import CONVERTERS
from .sparse_graph import run
from .sparse_indexing import INDEXING
from .sparse_indexing import OF_COMPRESSED as _INDEXING_OF_COMPRESSED
from .sparse_methods import REFUSED
from .sparse_products import PRODUCTS
from .sparse_refusals import refusal
from .sparse_rules import RULES
from .sparse_shape import SHAPES
from .sparse_whole import WHOLE

Function = Callable[..., Any]

_LACKING = {name: refused for name, refused in REFUSED.items() if "compressed" in (refused.__doc__ or "")}
_BOTH: dict[str, Function] = {**WHOLE, **ARITHMETIC, **CONVERTERS, **PRODUCTS, **INDEXING}

#: Functions of tensors of coordinates, and of those of the compressed layouts.
COORDINATES: dict[str, Function] = {**sparse.HANDLERS, **_BOTH, **OF_COORDINATES, **SHAPES, **_LACKING}
COMPRESSED: dict[str, Function] = {
    **compressed.HANDLERS, **_BOTH, **OF_COMPRESSED, **_INDEXING_OF_COMPRESSED
}

#: Other names of functions, in the words of torch's dispatcher.
_NAMES = {
    "absolute": "abs", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan", "arctanh": "atanh",
    "negative": "neg", "fix": "trunc", "multiply": "mul", "divide": "div", "true_divide": "div",
    "subtract": "sub", "clip": "clamp", "swapaxes": "transpose", "swapdims": "transpose",
    "arccos": "acos", "arccosh": "acosh", "concat": "cat", "concatenate": "cat", "moveaxis": "movedim",
    "row_stack": "vstack",
}  # fmt: skip
_OPERATORS = {
    "__add__": "add", "__radd__": "add", "__sub__": "sub", "__rsub__": "rsub", "__mul__": "mul",
    "__rmul__": "mul", "__truediv__": "div", "__floordiv__": "floor_divide", "__pow__": "pow",
    "__rpow__": "rpow",
    "__mod__": "remainder", "__and__": "bitwise_and", "__or__": "bitwise_or", "__xor__": "bitwise_xor",
    "__iadd__": "add_", "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_", "__neg__": "neg",
    "__matmul__": "matmul", "__rdiv__": "reciprocal", "__rtruediv__": "reciprocal",
    "__eq__": "eq", "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge",
}  # fmt: skip


def called(short: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function with a sparse tensor among its arguments.

    Parameters
    ----------
    short : str
        The layout, such as ``"csr"``.
    name : str
        Of the function, as the user called it.
    args, kwargs
        What it was called with.
    """
    if name == "__rmatmul__":
        name, args = "matmul", args[::-1]
    name = _OPERATORS.get(name, name)
    base = name.rstrip("_")
    name = _NAMES.get(base, base) + name[len(base) :]
    handler = (COORDINATES if short == "coo" else COMPRESSED).get(name)
    if handler is None:
        raise refusal(name, short, args, kwargs.values())
    out = kwargs.pop("out", None)
    result = run(handler, RULES.get(name), args, kwargs)
    return result if out is None else _written(out, result)


def _written(out: Any, result: Any) -> Any:
    if out._sparse and result._sparse:
        return sparse.become(out, result)
    return out.copy_(result)
