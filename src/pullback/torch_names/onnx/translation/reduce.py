"""Tell of reductions: sums, means, extremes, norms, and places of extremes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..builder import Graph, Operand
from ..rules import RULES, Unsupported, rule

_FLOAT = np.dtype(np.float32)
_INT64 = np.dtype(np.int64)
#: What onnxruntime reduces.
_REDUCED = ("float32", "float64", "int32", "int64", "float16")


def _reduced(g: Graph, kind: str, x: str, dims: Sequence[int] | None, keepdim: Any) -> str:
    """Reduce over some axes: all of them where there are none."""
    axes = None if not dims else g.ints(dims)
    return str(g.node(kind, x, axes, keepdims=int(bool(keepdim))))


def _over(kind: str) -> Any:
    def tell(g: Graph, x: Operand, dims: Sequence[int] = (), keepdim: Any = False) -> str:
        return _reduced(g, kind, g.value(x, g.dtype), dims, keepdim)

    return tell


RULES["sum"] = RULES["sum_all"] = _over("ReduceSum")
RULES["mean"] = RULES["mean_all"] = _over("ReduceMean")
RULES["logsumexp"] = _over("ReduceLogSumExp")
RULES["prod_all"] = _over("ReduceProd")


def _extreme(kind: str) -> Any:
    def tell(g: Graph, x: Operand, dims: Sequence[int] = (), keepdim: Any = False) -> str:
        own = x.dtype if str(x.dtype) in _REDUCED else np.dtype(np.int32)
        return g.cast(_reduced(g, kind, g.value(x, own), dims, keepdim), own, g.dtype)

    return tell


RULES["amax"] = RULES["max_all"] = _extreme("ReduceMax")
RULES["amin"] = RULES["min_all"] = _extreme("ReduceMin")


def _truths(g: Graph, x: Operand, dims: Sequence[int], keepdim: Any, kind: str) -> str:
    numbers = g.cast(g.value(x, np.dtype(bool)), np.dtype(bool), np.dtype(np.int32))
    return g.cast(_reduced(g, kind, numbers, dims, keepdim), np.dtype(np.int32), g.dtype)


RULES["all"] = lambda g, x, dims, keepdim: _truths(g, x, dims, keepdim, "ReduceMin")
RULES["any"] = lambda g, x, dims, keepdim: _truths(g, x, dims, keepdim, "ReduceMax")


@rule("count_nonzero")
def _count_nonzero(g: Graph, x: Operand, dims: Sequence[int]) -> str:
    numbers = g.cast(g.value(x, np.dtype(bool)), np.dtype(bool), _INT64)
    return _reduced(g, "ReduceSum", numbers, dims, False)


def _spread(g: Graph, x: Operand, dims: Sequence[int], correction: Any, keepdim: Any) -> tuple[str, str]:
    """Return the variance and the mean."""
    dtype = x.dtype
    axes = [*dims] if dims else [*range(x.rank)]
    mean = _reduced(g, "ReduceMean", x.name, axes, True)
    gap = g.node("Sub", x, mean)
    square = g.node("Mul", gap, gap)
    if correction == 0:
        spread = _reduced(g, "ReduceMean", square, axes, keepdim)
    else:
        count: Any = g.constant(1, np.int64)
        for axis in axes:
            count = g.node("Mul", count, g.scalar(x.shape[axis]))
        rest = g.node("Sub", g.cast(count, _INT64, dtype), g.constant(correction, dtype))
        spread = str(g.node("Div", _reduced(g, "ReduceSum", square, axes, keepdim), rest))
    kept = mean if keepdim else str(g.node("Squeeze", mean, g.ints(axes)))
    return spread, kept


RULES["var_mean"] = _spread
RULES["var"] = lambda g, x, *attrs: _spread(g, x, *attrs)[0]
RULES["std"] = lambda g, x, *attrs: g.node("Sqrt", _spread(g, x, *attrs)[0])


@rule("std_mean")
def _std_mean(g: Graph, x: Operand, *attrs: Any) -> tuple[str, str]:
    spread, mean = _spread(g, x, *attrs)
    return str(g.node("Sqrt", spread)), mean


@rule("vector_norm", "norm_dims")
def _norm(g: Graph, x: Operand, order: Any, dims: Sequence[int], keepdim: Any) -> str:
    value = g.value(x, g.dtype)
    if order in (1, 2):
        return _reduced(g, f"ReduceL{int(order)}", value, dims, keepdim)
    size = g.node("Abs", value)
    if order in (float("inf"), float("-inf")):
        return _reduced(g, "ReduceMax" if order > 0 else "ReduceMin", size, dims, keepdim)
    if order == 0:
        nonzero = g.node("Not", g.node("Equal", value, g.constant(0, g.dtype)))
        return _reduced(g, "ReduceSum", g.cast(nonzero, np.dtype(bool), g.dtype), dims, keepdim)
    power = g.constant(order, g.dtype)
    total = _reduced(g, "ReduceSum", g.node("Pow", size, power), dims, keepdim)
    return str(g.node("Pow", total, g.constant(1 / order, g.dtype)))


# --- places -------------------------------------------------------------------------------------------------

def _place(kind: str) -> Any:
    def tell(g: Graph, x: Operand, dim: Any, keepdim: Any) -> str:
        value = g.value(x, x.dtype if str(x.dtype) in _REDUCED else np.dtype(np.int32))
        if dim is None:
            flat = g.node("Reshape", value, g.ints([-1]))
            found = g.node(kind, flat, axis=0, keepdims=0)
            return g.reshaped(found, g.shape) if keepdim else str(found)
        return str(g.node(kind, value, axis=dim, keepdims=int(bool(keepdim))))

    return tell


RULES["argmax"], RULES["argmin"] = _place("ArgMax"), _place("ArgMin")
for _name in ("Max", "Min"):
    RULES[_name.lower()] = lambda g, x, dim, keepdim, kind=_name: (
        _extreme(f"Reduce{kind}")(g, x, [dim], keepdim), _place(f"Arg{kind}")(g, x, dim, keepdim)
    )  # fmt: skip
RULES["softmax"] = lambda g, x, dim: g.node("Softmax", g.value(x, g.dtype), axis=dim)
RULES["log_softmax"] = lambda g, x, dim: g.node("LogSoftmax", g.value(x, g.dtype), axis=dim)


# --- running ------------------------------------------------------------------------------------------------

@rule("cumsum")
def _cumsum(g: Graph, x: Operand, dim: int, reverse: bool) -> str:
    if x.rank == 0:
        return x.name
    return str(g.node("CumSum", g.value(x, g.dtype), g.constant(dim, np.int64), reverse=int(reverse)))


@rule("safe_softmax")
def _safe_softmax(g: Graph, x: Operand, dim: int) -> str:
    top = g.node("ReduceMax", x, g.ints([dim]), keepdims=1)
    blind = g.node("Equal", top, g.constant(-np.inf, x.dtype))
    return str(g.node("Where", blind, g.constant(0, x.dtype), g.node("Softmax", x, axis=dim)))


@rule("glu")
def _glu(g: Graph, x: Operand, dim: int) -> str:
    half = g.number(x.shape[dim]) // 2
    value, gate = g.node("Split", x, g.ints([half, half]), axis=dim, outputs=2)
    return str(g.node("Mul", value, g.node("Sigmoid", gate)))


def _best(g: Graph, x: Operand, k: Any, dim: int, largest: bool) -> Any:
    if not x.rank:
        return x.name, g.constant(0, np.int64)
    own = x.dtype if str(x.dtype) in _REDUCED else _FLOAT if x.dtype.kind == "f" else _INT64
    values, places = g.node(
        "TopK", g.value(x, own), g.size(k), axis=dim, largest=int(largest), sorted=1, outputs=2
    )
    return g.cast(values, own, x.dtype), places


@rule("median", "kthvalue", "mode", "cumprod")
def _none(g: Graph, *_: Any) -> Any:
    raise Unsupported("ONNX has nothing for it")

RULES |= {
    "aminmax": lambda g, x, dims, keepdim: (
        _extreme("ReduceMin")(g, x, dims, keepdim), _extreme("ReduceMax")(g, x, dims, keepdim)
    ),
    "prod": lambda g, x, dim, keepdim: _reduced(g, "ReduceProd", g.value(x, g.dtype), [dim], keepdim),
    "sort": lambda g, x, dim, descending: _best(g, x, x.shape[dim] if x.rank else 1, dim, descending),
    "topk": lambda g, x, k, dim, largest: _best(g, x, k, dim, largest),
}
