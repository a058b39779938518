"""Tell ops of the table under torch's names and with torch's arguments, for `__torch_dispatch__`.

Most ops have torch's name and its arguments in torch's order; the tables here have the others. What torch
does in several steps is several calls. An op that torch does not have is called under its own name in the
namespace ``pullback``.
"""

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

from numpy import ndarray

from ...array import dtypes
from ...core.op import TABLE, Op
from ...core.value import TensorBase, shape_of, wrap
from ...ops import declare_all
from ...tensor.constants import contiguous_format
from ...tensor.sizes import count
from . import aten  # noqa: F401  # `torch.ops` asks here
from .overload import OpOverload, overload, variant
from .schema import FunctionSchema, overloads, schema

Ask = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}

#: Ops that are overloads with their inputs and attributes in order.
_RENAMED = {
    "add_scaled": "add.Tensor", "mul_number": "mul.Tensor", "div_number": "div.Tensor", "rsub": "rsub.Scalar",
    "rsub_tensor": "rsub.Tensor", "pow_scalar": "pow.Tensor_Scalar", "pow": "pow.Tensor_Tensor",
    "integer_pow": "pow.Tensor_Tensor", "sum": "sum.dim_IntList", "sum_all": "sum", "mean_all": "mean",
    "mean": "mean.dim", "max_all": "max", "min_all": "min", "prod_all": "prod", "squeeze_dim": "squeeze.dim",
    "squeeze_dims": "squeeze.dims", "squeezed": "view", "reshape_alias": "view",
    "unsafe_view": "_unsafe_view",
    "copy_of": "clone", "lerp_tensor": "lerp.Tensor",
    "clamp_min_number": "clamp", "clamp_max_number": "clamp",
    "masked_fill_tensor": "masked_fill.Tensor", "median_all": "median",
    "remainder_number": "remainder.Scalar", "fmod_number": "fmod.Scalar", "sort_stable": "sort",
    "linalg_eigh": "linalg_eigh", "unsafe_split": "unsafe_split.Tensor",
    **{name: f"{name}.Tensor" for name in ("add", "sub", "mul", "div")},
}  # fmt: skip


def _product(ask: Ask, x: Any, y: Any) -> Any:
    return ask(overload("mm"), (x, y), {})


def _linear(ask: Ask, x: Any, w: Any) -> Any:
    shape = shape_of(x)
    turned = ask(overload("t"), (w,), {})
    if len(shape) == 2:
        return _product(ask, x, turned)
    rows = ask(overload("view"), (x, [count(shape[:-1]), shape[-1]]), {})
    found = _product(ask, rows, turned)
    return ask(overload("_unsafe_view"), (found, [*shape[:-1], shape_of(w)[0]]), {})


def _addmm(ask: Ask, x: Any, y: Any, z: Any, beta: Any, alpha: Any) -> Any:
    named = {"beta": beta, "alpha": alpha}
    return ask(overload("addmm"), (x, y, z), {key: v for key, v in named.items() if v != 1})


def _statistics(name: str) -> Callable[..., Any]:
    def call(ask: Ask, x: Any, dims: Any, correction: float, keepdim: bool) -> Any:
        whole = int(correction) if correction == int(correction) else correction
        named = {"correction": whole} | ({"keepdim": True} if keepdim else {})
        return ask(overload(name, "correction"), (x, list(dims)), named)

    return call


def _loss(name: str) -> Callable[..., Any]:
    def call(ask: Ask, x: Any, y: Any, *rest: Any) -> Any:
        *numbers, reduction = rest
        return _asked(ask, name, (x, y, _REDUCTIONS.get(reduction, reduction), *numbers))

    return call


def _nll_loss(ask: Ask, x: Any, target: Any, weight: Any, reduction: str, ignore_index: int) -> Any:
    given = (x, target, weight, _REDUCTIONS[reduction], ignore_index)
    return ask(overload("nll_loss_forward"), given, {})[0]


def _convolution(
    ask: Ask, x: Any, w: Any, b: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    lists = [list(v) for v in (stride, padding, dilation)]
    return ask(overload("convolution"), (x, w, b, *lists, False, [0] * len(lists[0]), groups), {})


def _index(ask: Ask, x: Any, where: Any, *rest: Any) -> Any:
    dims = rest[-1]
    places: list[Any] = [None] * (max(dims) + 1)
    for k, dim in enumerate(dims):
        # torch is given the places of each axis apart; a graph has no other way to them than by an op.
        array: Any = getattr(where, "_value", None)
        apart = type(array) is ndarray
        places[dim] = wrap(array[k]) if apart else ask(overload("select", "int"), (where, 0, k), {})
    return ask(overload("index", "Tensor"), (x, places), {})


def _attention(
    ask: Ask, query: Any, key: Any, value: Any, mask: Any, dropout_p: float, is_causal: bool, scale: Any
) -> Any:
    return _asked(
        ask, "_scaled_dot_product_flash_attention_for_cpu",
        (query, key, value, dropout_p, is_causal), {"attn_mask": mask, "scale": scale},
    )  # fmt: skip


def _layer_norm(ask: Ask, x: Any, weight: Any, bias: Any, axes: int, eps: float) -> Any:
    shape = list(shape_of(x)[len(shape_of(x)) - axes :])
    return ask(overload("native_layer_norm"), (x, shape, weight, bias, eps), {})


def _comparison(name: str) -> Callable[..., Any]:
    def call(ask: Ask, x: Any, y: Any) -> Any:
        if not isinstance(x, TensorBase):
            return ask(overload(_MIRRORED[name], "Scalar"), (y, x), {})
        return ask(overload(name, "Tensor" if isinstance(y, TensorBase) else "Scalar"), (x, y), {})

    return call


_MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def _where(ask: Ask, condition: Any, x: Any, y: Any) -> Any:
    numbers = isinstance(x, TensorBase), isinstance(y, TensorBase)
    which = {(True, True): "self", (True, False): "ScalarOther", (False, True): "ScalarSelf"}
    return ask(overload("where", which.get(numbers, "Scalar")), (condition, x, y), {})


def _cumsum(ask: Ask, x: Any, dim: int, reverse: bool) -> Any:
    if not reverse:
        return ask(overload("cumsum"), (x, dim), {})
    flipped = ask(overload("flip"), (x, [dim]), {})
    return ask(overload("flip"), (ask(overload("cumsum"), (flipped, dim), {}), [dim]), {})


def _linear_weight(ask: Ask, g: Any, x: Any) -> Any:
    if len(shape_of(g)) > 2:
        g, x = (ask(overload("view"), (v, [count(shape_of(v)[:-1]), shape_of(v)[-1]]), {}) for v in (g, x))
    return _product(ask, ask(overload("t"), (g,), {}), x)


_STEPS: dict[str, Callable[..., Any]] = {
    **{name: _comparison(name) for name in _MIRRORED},
    "cumsum": _cumsum, "where": _where, "linear_weight": _linear_weight,
    "addmm": _addmm,
    "linear": _linear, "linear_folded": _linear,
    "var": _statistics("var"), "std": _statistics("std"),
    "var_mean": _statistics("var_mean"), "std_mean": _statistics("std_mean"),
    "mse_loss": _loss("mse_loss"), "smooth_l1_loss": _loss("smooth_l1_loss"),
    "huber_loss": _loss("huber_loss"), "soft_margin_loss": _loss("soft_margin_loss"),
    "nll_loss": _nll_loss, "conv_biased": _convolution,
    "conv": lambda ask, x, w, *rest: _convolution(ask, x, w, None, *rest),
    "scaled_dot_product_attention": _attention, "native_layer_norm": _layer_norm,
    "cast": lambda ask, x, dtype: ask(
        overload("_to_copy"), (x,), {"dtype": dtypes.from_numpy_dtype(dtype)}
    ),
    "contiguous_copy": lambda ask, x: ask(
        overload("clone"), (x,), {"memory_format": contiguous_format}
    ),
    "softmax": lambda ask, x, dim: ask(overload("_softmax"), (x, dim, False), {}),
    "log_softmax": lambda ask, x, dim: ask(overload("_log_softmax"), (x, dim, False), {}),
    "scalar_pow": lambda ask, x, base: ask(overload("pow", "Scalar"), (base, x), {}),
    "cat": lambda ask, *given: _asked(ask, "cat", (list(given[:-2]), given[-1])),
    "stack": lambda ask, *given: _asked(ask, "stack", (list(given[:-1]), given[-1])),
    "gather": lambda ask, x, index, dim: ask(overload("gather"), (x, dim, index), {}),
    "index_select": lambda ask, x, index, dim: ask(overload("index_select"), (x, dim, index), {}),
    "scatter": lambda ask, x, index, src, dim: ask(overload("scatter", "src"), (x, dim, index, src), {}),
    "scatter_add": lambda ask, x, index, src, dim: ask(overload("scatter_add"), (x, dim, index, src), {}),
    "masked_fill": lambda ask, x, mask, value: ask(
        overload("masked_fill", "Scalar"), (x, mask, value), {}
    ),
    "vector_norm": lambda ask, x, order, dims, keepdim: _asked(
        ask, "linalg_vector_norm", (x, order, list(dims), keepdim)
    ),
    "index": _index,
}  # fmt: skip


class OwnOp:
    """An op that torch does not have, as a class or a mode with `__torch_dispatch__` sees it."""

    namespace = "pullback"

    def __init__(self, op: Op) -> None:
        self._op = op
        self.__name__ = f"{op.name}.default"

    def __call__(self, *given: Any) -> Any:
        count = len(given) - len(self._op.attrs)
        given = (*given[:count], *map(_as_attribute, given[count:]))
        if self._op.variadic:
            return self._op.call(given[0], *given[1:])
        return self._op.call(*given[:count], *given[count:])

    def __str__(self) -> str:
        return f"pullback.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='pullback.{self._op.name}', overload='default')>"


def _as_attribute(value: Any) -> Any:
    """Return what an op knows for what graphs hold in its place."""
    if isinstance(value, OwnOp):
        return value._op
    if isinstance(value, dtypes.dtype):
        return value.numpy
    return tuple(map(_as_attribute, value)) if type(value) in (tuple, list) else value


@cache
def _own(name: str) -> OwnOp:
    return OwnOp(TABLE[name])


class _OwnOps:
    """`torch.ops.pullback`: the ops that torch does not have."""

    def __getattr__(self, name: str) -> Any:
        if name not in TABLE:
            declare_all()
        if name not in TABLE:
            raise AttributeError(f"'_OpNamespace' 'pullback' object has no attribute '{name}'")
        made = SimpleNamespace(default=_own(name))
        setattr(self, name, made)
        return made


pullback = _OwnOps()


def _asked(ask: Ask, name: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
    """Ask for an overload, leaving out the last arguments that are as they would be by default."""
    packet, _, which = name.partition(".")
    which = which or "default"
    known = schema(packet, which)
    short, named = known.shortened(known.bound(args, kwargs or {}))
    return ask(overload(packet, which), short, named)


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _arranged(
    known: FunctionSchema, op: Op, inputs: tuple[Any, ...], attrs: tuple[Any, ...]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return an op's inputs and attributes by place, and those attributes that torch takes by name only."""
    by_name = {a.name for a in known.arguments if a.kwarg_only}
    given = list(zip(op.attrs, attrs, strict=True))
    named = {name: v for name, v in given if name in by_name}
    return (*inputs, *(v for name, v in given if name not in by_name)), named


def _fitting(op: Op, inputs: tuple[Any, ...], attrs: tuple[Any, ...]) -> Any:
    """Return the first overload of torch's op of a name that takes the arguments, with these; else None."""
    for packet, which in [(name, key) for name in (op.name, op.base) for key in overloads(name)]:
        known = schema(packet, which)
        args, named = _arranged(known, op, inputs, attrs)
        by_place = [a for a in known.arguments if not a.kwarg_only]
        required = [a for a in by_place if not a.has_default_value()]
        by_name = [a for a in known.arguments if a.kwarg_only]
        if (
            len(required) <= len(args) <= len(by_place)
            and all(a.takes(v) for a, v in zip(by_place, args, strict=False))
            and all(a.has_default_value() or a.name in named for a in by_name)
            and isinstance(args[0], TensorBase) == known.arguments[0].type.startswith("Tensor")
        ):
            return f"{packet}.{which}", args, named
    return None


def translate(op: Op, inputs: tuple[Any, ...], attrs: tuple[Any, ...], ask: Ask) -> Any:
    """Call `ask` with an op under torch's names, once or in torch's steps; return the result."""
    if (steps := _STEPS.get(op.base)) is not None:
        return steps(ask, *inputs, *attrs)
    listed = tuple(map(_listed, attrs))
    renamed = _RENAMED.get(op.name) or _RENAMED.get(op.base)
    if renamed is not None:
        packet, _, which = renamed.partition(".")
        return _asked(ask, renamed, *_arranged(schema(packet, which or "default"), op, inputs, listed))
    found = None if op.variadic or not inputs else _fitting(op, inputs, listed)
    if found is not None:
        return _asked(ask, *found)
    return ask(_own(op.name), (*((inputs,) if op.variadic else inputs), *attrs), {})


__all__ = ["OpOverload", "OwnOp", "translate", "variant"]
