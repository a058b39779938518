"""`why_error`: what an error of the graph means in the program that ran into it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .answer import Answer
from .failure import Raised
from .input_errors import wrong_input
from .other_errors import (
    covector,
    gradient_count,
    gradient_shape,
    no_gradient,
    not_a_leaf,
    size_by_the_data,
    sparse_gradients,
    tuple_taken,
)
from .unrecorded import no_history, unused
from .used_up import in_place, second_backward

Judge = Callable[[BaseException, Raised], Answer]


def why_error(error: BaseException) -> Answer:
    """Say what an error means in the program that ran into it, and which line to change.

    Parameters
    ----------
    error : exception
        As it was caught, with its traceback.
    """
    if not isinstance(error, BaseException):
        raise TypeError(f"why_error: expected an exception, got {type(error).__name__}")
    known = getattr(error, "answer", None)
    if isinstance(known, Answer):
        return known
    return _judged(error, Raised(error))


def _judged(error: BaseException, raised: Raised) -> Answer:
    text = str(error)
    first = tuple_taken(error, raised)
    if first is None and ("must match the size of tensor b" in text or "weight tensor should be" in text):
        first = size_by_the_data(raised)
    if first is not None:
        return first
    for beginning, judge in JUDGES:
        if beginning in text:
            return judge(error, raised)
    meaning = wrong_input(error, raised)
    if meaning is not None:
        return meaning
    notes = getattr(error, "__notes__", [])
    return Answer.of(
        "other error", raised.place, tuple(notes), error=type(error).__name__,
        text=text.splitlines()[0] if text else ""
    )


def note_of(error: BaseException, node: Any = None) -> str | None:
    """Return the answer to an error that is being raised, as a note for it; None where there is none.

    The answer stays with the error, for `why_error`.
    """
    try:
        answer = _judged(error, Raised(error, node))
    except Exception:  # noqa: BLE001  # the program's error must reach the program, whatever happens here
        return None
    if answer.kind in ("error", "other error"):
        return None
    error.answer = answer  # type: ignore[attr-defined]  # for `why_error`
    return str(answer)


def _here(name: str) -> Judge:
    """Return the judge of an error whose line is the one that raised it."""

    def judge(error: BaseException, raised: Raised) -> Answer:
        return Answer.of(name, raised.place, getattr(error, "__notes__", ()))

    return judge


#: What an error of torch's begins with or holds, and who judges it.
JUDGES: tuple[tuple[str, Judge], ...] = (
    ("modified by an inplace operation", in_place),
    ("Trying to backward through the graph a second time", second_backward),
    ("does not require grad and does not have a grad_fn", no_history),
    ("One of the differentiated Tensors does not require grad", no_history),
    ("object has no attribute 'backward'", no_history),
    ("appears to not have been used in the graph", unused),
    ("grad can be implicitly created only for scalar outputs", covector),
    ("object has no attribute", no_gradient),
    ("unsupported operand type(s)", no_gradient),
    ("does not support sparse gradients", sparse_gradients),
    ("can't optimize a non-leaf Tensor", not_a_leaf),
    ("returned an incorrect number of gradients", gradient_count),
    ("returned an invalid gradient at index", gradient_shape),
    ("Mismatch in shape: grad_output", _here("wrong covector")),
    (
        "a leaf Variable that requires grad is being used in an in-place operation",
        _here("write to a leaf: written"),
    ),
    (
        "a view of a leaf Variable that requires grad is being used in an in-place operation",
        _here("write to a leaf: through a view"),
    ),
    ("Can't call numpy() on Tensor that requires grad", _here("left the library")),
    ("only Tensors of floating point", _here("integer: no floats")),
    ("you can only change requires_grad flags of leaf variables", _here("not a leaf: flag")),
    ("modified inplace", _here("write to a view")),
)
