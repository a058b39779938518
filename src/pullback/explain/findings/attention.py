"""Look at masks of attention: rows in which everything is hidden, whose softmax is over nothing."""

from typing import Any

import numpy as np
from numpy import ndarray

from ...core.value import TensorBase, wrap
from ..answer import Answer
from ..counterfactual import NotRun
from ..trace import Event
from .makers import values_of

#: Calls of attention, and where each of their masks stands among the arguments.
ATTENTION: dict[str, dict[str, int]] = {
    "multi_head_attention_forward": {"key_padding_mask": 14, "attn_mask": 16},
    "scaled_dot_product_attention": {"attn_mask": 3},
}

#: Rows that are named.
MOST_ROWS = 4


def hidden_by(event: Event, mask: ndarray) -> ndarray:
    """Return where a mask hides: True, but False for the booleans of scaled_dot_product_attention."""
    if mask.dtype.kind == "b":
        return ~mask if event.name == "scaled_dot_product_attention" else mask
    return np.isneginf(mask.astype(np.float64))


def _masks(event: Event) -> dict[str, ndarray]:
    """Return the masks of a call by the names of their arguments."""
    given = {name: event.argument(at, name) for name, at in ATTENTION[event.name].items()}
    found = {name: values_of(mask) for name, mask in given.items() if isinstance(mask, TensorBase)}
    return {name: mask for name, mask in found.items() if mask is not None and mask.ndim}


def of_attention(event: Event) -> Answer | None:
    """Return that a mask hides everything from some queries; None where no mask does."""
    for name, mask in _masks(event).items():
        closed = hidden_by(event, mask).all(-1)
        if not closed.any():
            continue
        rows = np.argwhere(closed)
        what = "sequence" if name == "key_padding_mask" else "query"
        listed = ", ".join(" ".join(map(str, row)) for row in rows[:MOST_ROWS])
        return Answer.of(
            "softmax of nothing", event.place, name=name, what=what, listed=listed,
            more=" and more" if len(rows) > MOST_ROWS else "", mask=mask
        )
    return None


def with_open_rows(event: Event, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Do the call with rows of masks that hide everything opened."""
    masks = _masks(event)
    if event.function is None or not masks:
        raise NotRun(event.name)
    for name, mask in masks.items():
        closed = hidden_by(event, mask).all(-1, keepdims=True)
        seen: Any = (event.name == "scaled_dot_product_attention") if mask.dtype.kind == "b" else 0
        opened = wrap(np.where(closed, seen, mask).astype(mask.dtype))
        if name in kwargs:
            kwargs[name] = opened
        else:
            args[ATTENTION[event.name][name]] = opened
    return event.function(*args, **kwargs)
