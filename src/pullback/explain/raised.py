"""Answer `why_error`: what an error of the graph, or of wrong input, means in the program that ran into it.

torch's message says which check failed. What is added is what that means for the program: which tensors stand
on the line, of which shape and dtype, and what is usually meant.
"""

import ast
import sys
from collections.abc import Callable
from typing import Any

from ..core.blame import Place
from ..core.value import TensorBase, dtype_of, shape_of
from ..nn.modules.module import Module
from .answer import Answer, kind_of, texts
from .carried import loops_around
from .failure import Raised
from .other_errors import (
    covector,
    gradient_count,
    gradient_kind,
    gradient_shape,
    hook_shape,
    no_gradient,
    no_parameters,
    not_a_leaf,
    size_by_the_data,
    sparse_gradients,
    tuple_taken,
    underivable,
    view_of_function,
)
from .scene import Scene, parts_of, paths_in, place_in
from .unrecorded import no_history, unused
from .used_up import in_place, second_backward

#: Tensors of a line that are named.
MOST_NAMED = 6


def wrong_input(error: BaseException, raised: Raised) -> Answer | None:
    """Return what an error of wrong input means; None where it is not known."""
    text = str(error)
    name = next((name for name, told in texts().items() if any(part in text for part in told.error)), None)
    if name is None:
        return None
    kind = kind_of(name)
    seen = () if raised.scene is None else tuple(_on_line(raised.scenes[0]))
    place, checked = raised.innermost, ""
    if text.startswith("Expected more than 1 value per channel"):
        place, checked = next((loader for s in raised.scenes if (loader := _short_batch(s))), (place, ""))
    elif kind == "nothing in place of a tensor" and place is not None:
        place = _without_return(place.file) or place
    elif kind == "inference tensor" and place is not None:
        place = _inference_mode(place.file) or place
    return Answer.of(name, place, (*seen, *getattr(error, "__notes__", ())), checked)


def _without_return(file: str) -> Place | None:
    """Return the last line of the only `forward` of a program that returns nothing."""
    found = [
        node for node in parts_of(file, ast.FunctionDef) if node.name == "forward"
        and not any(isinstance(inner, (ast.Return, ast.Raise)) for inner in ast.walk(node))
    ]  # fmt: skip
    return place_in(file, found[0].body[-1].lineno) if len(found) == 1 else None


def _inference_mode(file: str) -> Place | None:
    """Return the only line of a program that turns inference mode on."""
    names = parts_of(file, ast.Name, ast.Attribute)
    lines = {node.lineno for node in names if ast.unparse(node).endswith("inference_mode")}
    return place_in(file, *lines) if len(lines) == 1 else None


def _short_batch(scene: Scene) -> tuple[Place, str] | None:
    """Return the line that makes a loader whose last batch has one sample, and how many there are."""
    # A program that has a loader has imported them.
    loaders: Any = sys.modules.get("pullback.utils.data")
    if loaders is None:
        return None
    loops = [loop for loop in loops_around(scene) if isinstance(loop, ast.For)]
    over = {name for loop in loops for name in paths_in(loop.iter)}
    for name, value in list(scene.variables.items()):
        if not isinstance(value, loaders.DataLoader) or name not in over:
            continue
        if value.drop_last or not value.batch_size:
            continue
        count = len(value.dataset) if hasattr(value.dataset, "__len__") else 0
        made = scene.made(name)
        if count % value.batch_size == 1 and made is not None:
            return made, (
                f"{count} samples in batches of {value.batch_size} leave one for the last batch, which "
                "`drop_last=True` leaves out"
            )
    return None


def _on_line(scene: Scene) -> list[str]:
    """Return name, shape and dtype of the tensors on the line of a scene."""
    found = []
    for path in dict.fromkeys(path for node in scene.statements_here() for path in paths_in(node)):
        value = scene.value(path)
        if isinstance(value, TensorBase):
            found.append(f"`{path}` has shape {tuple(shape_of(value))} and dtype {dtype_of(value)}")
        elif isinstance(value, Module) and next(value.parameters(), None) is not None:
            weight = next(value.parameters())
            found.append(f"`{path}` is a {type(value).__name__}, its weights are {dtype_of(weight)}")
    return found[:MOST_NAMED]


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
        return Answer.of(name, raised.innermost, getattr(error, "__notes__", ()))

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
    ("expected Variable or None", gradient_kind),
    ("derivative for aten::", underivable),
    ("optimizer got an empty parameter list", no_parameters),
    ("has changed the size of value", hook_shape),
    ("Mismatch in shape: grad_output", _here("wrong covector")),
    ("a view of a leaf Variable that requires grad", _here("write to a leaf: through a view")),
    ("a leaf Variable that requires grad", _here("write to a leaf: written")),
    ("Can't call numpy() on Tensor that requires grad", _here("left the library")),
    ("nly Tensors of floating point", _here("integer: no floats")),
    ("you can only change requires_grad flags of leaf variables", _here("not a leaf: flag")),
    ("created inside a custom Function", view_of_function),
    ("function that returns multiple views", view_of_function),
    ("modified inplace", _here("write to a view")),
)
