"""Share among losses: reductions, their deprecated spellings, sizes and weights."""

from collections.abc import Callable
from typing import Any

from ...array.dtype_words import type_word
from ...core.modes import modes
from ...core.value import TensorBase, dtype_of, shape_of
from ...core.warn import warn
from ...ops import reduce as r
from ...tensor.api import public
from ...tensor.argument_types import is_real

Function = Callable[..., Any]

#: By the numbers by which torch's C++ part knows them.
REDUCTIONS = ("none", "mean", "sum")


def functional(function: Function) -> Function:
    """Declare a function of torch.nn.functional."""
    return public(function, namespace="nn.functional", method=False, out=False)


def mirrored(function: Function) -> Function:
    """Declare a function of torch.nn.functional that asks its arguments what torch's Python asks them."""
    return public(function, namespace="nn.functional", method=False, out=False, mirrors=True)


def legacy_reduction(size_average: Any, reduce: Any, reduction: str) -> str:
    """Return what `size_average` and `reduce` mean today, with torch's warning that they are deprecated."""
    if size_average is None and reduce is None:
        return reduction
    averages, reduces = (value is None or value for value in (size_average, reduce))
    chosen = ("mean" if averages else "sum") if reduces else "none"
    warn(f"size_average and reduce args will be deprecated, please use reduction='{chosen}' instead.")
    return chosen


def check_reduction(reduction: str) -> None:
    """Raise torch's error for a reduction that does not exist."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")


def check_known(reduction: str) -> None:
    """Do `check_reduction` in the words of the losses that torch composes in Python."""
    if reduction not in REDUCTIONS:
        raise ValueError(reduction + " is not valid")


def check_no_gradient(function: str, argument: str, tensor: Any) -> None:
    """Raise torch's error for a tensor that requires grad where torch has no derivative."""
    if tensor is not None and tensor.requires_grad and modes().grad:
        raise RuntimeError(
            f"The function '{function}' is not differentiable with respect to argument '{argument}'. "
            "This input cannot have requires_grad True."
        )


def apply_reduction(x: Any, reduction: str) -> Any:
    """Return the mean, the sum, or x."""
    if reduction == "mean":
        if dtype_of(x).kind in "biu":
            raise RuntimeError(
                "mean(): could not infer output dtype. Input dtype must be either a floating point or "
                f"complex dtype. Got: {type_word(dtype_of(x))}"
            )
        return r.mean_all(x)
    if reduction == "sum":
        return r.sum_all(x)
    check_reduction(reduction)
    return x


def sizes_text(shape: tuple[int, ...]) -> str:
    """Return a shape as torch's messages write it."""
    return f"torch.Size({list(shape)})"


def warn_of_sizes(input: Any, target: Any) -> None:
    """Warn, in torch's words, that a target will be broadcast; refuse what is no tensor."""
    check_tensors(input, target)
    have, want = shape_of(target), shape_of(input)
    if have != want:
        warn(
            f"Using a target size ({sizes_text(have)}) that is different to the input size "
            f"({sizes_text(want)}). This will likely lead to incorrect results due to broadcasting. Please "
            "ensure they have the same size."
        )


def check_tensors(*arguments: Any) -> None:
    """Fail for numbers, lists and None, of which the call's error then says what torch says."""
    if not all(isinstance(argument, TensorBase) for argument in arguments):
        raise TypeError("a loss takes tensors")


def check_numbers(*arguments: Any) -> None:
    """Fail for what is no number, of which the call's error then says what torch says."""
    if not all(map(is_real, arguments)):
        raise TypeError("a loss takes numbers")


def refuse_complex(x: Any) -> Any:
    """Raise torch's error for complex numbers that would be clamped; return others."""
    if dtype_of(x).kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    return x


def check_weight(weight: Any, input: Any) -> None:
    """Raise torch's error for weights of another shape than the input's."""
    if shape_of(weight) != shape_of(input):
        raise ValueError("Weights and input must have the same size.")
