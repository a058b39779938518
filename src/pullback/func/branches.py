"""torch.cond and torch.while_loop: torch's signatures and errors, before the loops of `func.loops`."""

from collections.abc import Callable
from typing import Any

from ..core.value import TensorBase
from ..tensor.tree import tree_flatten
from . import loops


def cond(
    pred: object, true_fn: Callable[..., Any], false_fn: Callable[..., Any],
    operands: tuple[Any, ...] | list[Any] = ()
) -> Any:
    """Call one of two functions: ``true_fn(*operands) if pred else false_fn(*operands)``.

    Parameters
    ----------
    pred : bool or tensor of one element
    true_fn, false_fn : callable
        Return tensors of the same shapes and dtypes, which is checked when they are compiled.
    operands : tuple
        Of (nested containers of) tensors.

    Returns
    -------
    What the function returns.

    Raises
    ------
    RuntimeError
        `pred` is not a bool or one element, a function cannot be called, or an operand is not a tensor.
    """
    if isinstance(pred, (bool, int, float)):
        return true_fn(*operands) if pred else false_fn(*operands)
    if not isinstance(pred, TensorBase):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if pred.numel() != 1:  # type: ignore[attr-defined]  # the facade's
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    if not isinstance(operands, (tuple, list)) or not all(
        isinstance(v, TensorBase) for v in tree_flatten(operands)[0]
    ):
        raise RuntimeError(
            "Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of tensor "
            f"leaves, but got {operands}."
        )
    return loops.cond(pred, true_fn, false_fn, *operands)


def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any) -> Any:
    """Loop as long as a condition holds: ``while cond_fn(*val): val = body_fn(*val)``.

    Parameters
    ----------
    cond_fn : callable
        Takes the carried values and returns one bool.
    body_fn : callable
        Takes the carried values and returns as many of the same shapes and dtypes.
    carried_inputs : tuple
        Of (nested containers of) tensors and ints.

    Returns
    -------
    The last carried values.

    Raises
    ------
    RuntimeError
        A function cannot be called.
    AssertionError
        A carried value is neither a tensor nor an int.
    TypeError
        A carried value changes its shape or dtype.
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("Expect cond_fn and body_fn to be callable.")
    leaves = tree_flatten(carried_inputs)[0]
    strangers = [v for v in leaves if not isinstance(v, (TensorBase, int))]
    if strangers:
        raise AssertionError(f"{leaves} holds a {type(strangers[0]).__name__} among tensors and ints")

    def step(carried: Any) -> Any:
        found = body_fn(*carried)
        return type(carried)(found) if isinstance(found, (tuple, list)) else type(carried)([found])

    return loops.while_loop(lambda carried: cond_fn(*carried), step, carried_inputs)
