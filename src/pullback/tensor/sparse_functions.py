"""The functions that sparse tensors have, by name, and how one of them is called."""

from collections.abc import Callable
from typing import Any

from . import compressed, sparse
from .out import ALIASES
from .sparse_arithmetic import ARITHMETIC, OF_COMPRESSED, OF_COORDINATES, of_zero
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
COMPRESSED: dict[str, Function] = {**compressed.HANDLERS, **_BOTH, **OF_COMPRESSED, **_INDEXING_OF_COMPRESSED}

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
    """Call a function, by the user's name, with a tensor of the layout `short`, such as "csr", among its
    arguments.
    """
    if name == "__rmatmul__":
        name, args = "matmul", args[::-1]
    name = _OPERATORS.get(name, name)
    base, handlers = name.rstrip("_"), COORDINATES if short == "coo" else COMPRESSED
    shown = "transpose" if base in ("swapaxes", "swapdims") else ALIASES.get(base, base)
    name = name if name in handlers else shown + name[len(base) :]
    handler = handlers.get(name) or of_zero(name)
    if handler is None:
        raise refusal(name, short, args, kwargs.values())
    out = kwargs.pop("out", None)
    result = run(handler, RULES.get(name), args, kwargs)
    return result if out is None else _written(out, result)


def _written(out: Any, result: Any) -> Any:
    return sparse.become(out, result) if out._sparse and result._sparse else out.copy_(result)
