"""The functions on lists of tensors, `torch._foreach_*`, that fused optimizers are written with.

Each is the function of the same name, called tensor by tensor: arguments that are lists give each tensor its
own, others are the same for all. With an underscore at the end the tensors are written to.
"""

from collections.abc import Callable, Iterable
from typing import Any

from ..core.value import TensorBase, shape_of
from .norms import vector_norm
from .signature import Parser, described
from .tensor import Tensor

#: Functions that have a variant in place, those that only make tensors, and those that only write to them.
_TWINNED = (
    "abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor", "frac",
    "lgamma", "log", "log10", "log1p", "log2", "neg", "reciprocal", "round", "rsqrt", "sigmoid", "sign",
    "sin", "sinh", "sqrt", "tan", "tanh", "trunc", "add", "sub", "mul", "div", "clamp_min", "clamp_max",
    "maximum", "minimum", "pow", "lerp", "addcmul", "addcdiv",
)  # fmt: skip
_PURE = ("clone", "max", "mm", "norm", "powsum")
_WRITING = ("copy_", "zero_")

#: What bounds are as methods: those of one name take numbers too.
_METHODS = {"maximum": "clamp_min", "minimum": "clamp_max"}
#: Parameters that the methods take by name only, and what two methods call a list of them.
_NAMED = {"alpha": "alpha", "dtype": "dtype", "value": "value", "memory_format": "memory_format"}
_NAMED_OF_TERMS = {**_NAMED, "scalars": "value"}


#: Functions that are no method of one tensor.
_OWN: dict[str, Callable[..., Any]] = {
    "norm": lambda x, ord=2, dtype=None: vector_norm(x, ord, dtype=dtype),
    "powsum": lambda x, ord=2, dtype=None: (x.abs() ** ord).sum(dtype=dtype),
}


def _check_lists(first: tuple[Any, ...], given: Iterable[Any]) -> None:
    if not first:
        raise RuntimeError("Tensor list must have at least one tensor.")
    for argument in given:
        if not isinstance(argument, tuple) or len(argument) == len(first):
            continue
        if argument and isinstance(argument[0], TensorBase):
            raise RuntimeError(
                f"Tensor lists must have the same number of tensors, got {len(first)} and {len(argument)}"
            )
        raise RuntimeError("Tensor list must have same number of elements as scalar list.")


def _scalars(given: dict[str, Any], count: int) -> dict[str, Any]:
    """Return the arguments with a tensor in place of numbers taken apart or checked."""
    numbers, other = given.get("scalars"), given.get("other")
    if isinstance(numbers, TensorBase):
        values = tuple(numbers.tolist())  # type: ignore[attr-defined]  # the facade has it
        if len(values) != count:
            raise RuntimeError(
                f"Expected length of scalars to match input of length {count} but got {len(values)} instead."
            )
        return given | {"scalars": values}
    if isinstance(other, TensorBase) and (shape := shape_of(other)):
        raise RuntimeError(
            f"scalar tensor expected to be 0 dim but it has {len(shape)} dimensions and "
            f"{other.numel()} elements."  # type: ignore[attr-defined]  # the facade has it
        )
    return given


def _calls(name: str, method: str, given: dict[str, Any]) -> list[Any]:
    """Call a method, or a function of its own, on each tensor of the first list."""
    if not isinstance((first := given.pop("self")), tuple):  # one number to many powers
        (exponents,) = given.values()
        _check_lists(exponents, ())
        return [first**exponent for exponent in exponents]
    given = _scalars(given, len(first))
    _check_lists(first, given.values())
    function = _OWN.get(name) or getattr(Tensor, method)
    names = _NAMED_OF_TERMS if name in ("addcmul", "addcdiv") else _NAMED
    results = []
    for k, tensor in enumerate(first):
        args, named = [], {}
        for parameter, argument in given.items():
            own = argument[k] if isinstance(argument, tuple) else argument
            if parameter in names:
                named[names[parameter]] = own
            else:
                args.append(own)
        results.append(function(tensor, *args, **named))
    return results


def _function(name: str) -> Callable[..., Any]:
    parser = Parser(f"_foreach_{name}")
    plain = name.removesuffix("_")
    writes = name != plain
    method = _METHODS.get(plain, plain) + ("_" if writes else "")

    def call(*args: Any, **kwargs: Any) -> Any:
        given = parser.bind(args, kwargs)
        results = _calls(plain, method, dict(given))
        if not writes:
            return tuple(results)
        return args[0] if args else given["self"]

    def listed(self: Any) -> Any:
        """Return the function `…` of each tensor of a list."""

    listed.__doc__ = f"`{plain}` of each tensor of a list" + (", written to it." if writes else ".")
    return described(call, listed, parser)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f"_foreach_{name}": _function(name)
    for name in (*_TWINNED, *_PURE, *(f"{name}_" for name in _TWINNED), *_WRITING)
}
