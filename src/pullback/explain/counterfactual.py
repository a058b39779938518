"""Check a cause by its counterfactual: run again what the program did, with the mend applied to the numbers.

An answer is certain only where such a check made the symptom go. `Rerun` runs the calls of a trace again,
from those that a change touches up to the loss; first without any change, and where that does not give the
loss that the program had (a random draw, a value that was written over since), nothing is claimed. `nudged`
moves the values that go into one op away from where the op has no finite value or slope.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.modes import modes, put_modes, reset_modes
from ..core.node import LEAF
from ..core.value import TensorBase, innermost, shape_of, wrap
from ..tensor.backward import grad
from .trace import MOST_CALLS, Event, Trace, behind, tensors_of
from .walk import Path, undisturbed

#: Calls that write into tensors which they are given beside the first one.
WRITING = {"batch_norm", "instance_norm"}

#: How far values are moved away from a point without slope, relative and absolute.
NUDGE = 1e-6

#: The largest exponent whose exponential a float32 holds with room to spare.
LARGEST_EXPONENT = 30.0

#: A number that stands for -inf in a mask.
MASKED = -1e9

#: Ops that are defined on -1 to 1 only.
BOUNDED = {"acos", "asin", "atanh", "arccos", "arcsin", "arctanh"}

#: Ops that are defined for what is positive only.
OF_POSITIVE = {"sqrt", "rsqrt", "log", "log2", "log10", "log1p", "pow", "pow_scalar"}

#: The same for a float16, and for the sum of many.
LARGEST_EXPONENT_OF_HALF = 5.0

#: Ops whose value grows like the exponential.
GROWING = {"exp", "exp2", "expm1", "cosh", "sinh"}

Change = Callable[[Event, list[Any], dict[str, Any]], Any]


class NotRun(Exception):
    """Report why the calls cannot be run again."""


def nudged(name: str, values: Iterable[Any]) -> list[Any]:
    """Return the values that go into an op, moved away from where it has no finite value or slope.

    Floating arrays are moved; everything else stays.
    """
    draw = np.random.default_rng(722)
    moved: list[Any] = []
    for value in values:
        if not isinstance(value, ndarray) or value.dtype.kind != "f":
            moved.append(value)
            continue
        wide = value.astype(np.float64)
        if name in BOUNDED:
            wide = np.clip(wide, -1 + NUDGE, 1 - NUDGE)
        elif name in GROWING:
            half = value.dtype == np.float16
            wide = np.minimum(wide, LARGEST_EXPONENT_OF_HALF if half else LARGEST_EXPONENT)
        elif "softmax" in name or name == "logsumexp":
            wide = np.where(np.isneginf(wide), MASKED, wide)
        else:
            wide = np.abs(wide) if name in OF_POSITIVE else wide
            wide = wide + NUDGE * (1 + np.abs(wide)) * (0.5 + draw.random(wide.shape))
        moved.append(wide.astype(value.dtype))
    return moved


class Rerun:
    """The calls that led to a loss `y`, to be run again; `path` is that of the call of backward."""

    def __init__(self, y: Any, trace: Trace, path: Path) -> None:
        self.y = y
        self.path = path
        self.events: list[Event] = []
        found = list(behind(trace.maker_of(y), MOST_CALLS + 1))
        if len(found) <= MOST_CALLS:
            self.events = sorted(found, key=lambda event: event.number)

    def loss(
        self, change: dict[Event, Change], replaced: dict[int, Any] | None = None, unlocked: bool = False
    ) -> Any:
        """Return the loss that the calls give with a change; None where they cannot be run again.

        `change` is what is done in place of some calls, `replaced` other tensors in place of those that came
        in, by id. `unlocked`: history is recorded also where the program did not.
        """
        if not self.events:
            return None
        key = id(self.events[-1]), id(self.y)
        try:
            same = self.results(change, replaced or {}, unlocked, changed=False).get(key, self.y)
            if not _equal(same, self.y):
                return None
            return self.results(change, replaced or {}, unlocked).get(key, self.y)
        except Exception:  # noqa: BLE001  # calls of the program, run on other numbers: nothing is claimed then
            return None

    def gradients(self, loss: Any, leaves: list[Any]) -> list[ndarray | None]:
        """Return the gradients of leaves in a loss that was run again; None for each that has none."""
        none: list[ndarray | None] = [None] * len(leaves)
        if loss is None or loss._node is None or loss._node is LEAF or shape_of(loss) != ():
            return none
        if any(getattr(leaf, "_backward_hooks", None) for leaf in leaves):
            return none
        try:
            with undisturbed(self.path), _recording(True):
                found = grad([loss], leaves, retain_graph=True, allow_unused=True)
        except Exception:  # noqa: BLE001  # as above
            return none
        return [None if g is None else np.asarray(innermost(g)) for g in found]

    def results(
        self, change: dict[Event, Change], replaced: dict[int, Any], unlocked: bool = False,
        changed: bool = True,
    ) -> dict[tuple[int, int], Any]:  # fmt: skip
        """Return what all calls give that depend on a change, by the ids of call and tensor.

        Not `changed`: what these give as they are. Raises `NotRun` where a call cannot be done again, or
        whatever a call raises on other numbers.
        """
        results: dict[tuple[int, int], Any] = {}
        again: set[Event] = set()
        written = [event.inputs[0][1] for event in self.events if writes(event) and event.inputs]
        rewritten = {maker for maker in written if maker is not None}
        with undisturbed(self.path):
            for event in self.events:
                depends = event in change or event in rewritten or any(
                    id(tensor) in replaced or (maker in again and tensor._node is not LEAF)
                    for tensor, maker in event.inputs
                )
                if not depends:
                    continue
                again.add(event)
                given: dict[int, Any] = {}
                for tensor, maker in event.inputs:
                    other = changed and id(tensor) in replaced
                    chosen = other and not (maker is not None and writes(maker))
                    if not chosen and maker is not None and (id(maker), id(tensor)) in results:
                        given[id(tensor)] = results[id(maker), id(tensor)]
                    elif other:
                        given[id(tensor)] = replaced[id(tensor)]
                with _recording(unlocked or event.recording):
                    outputs = self._call(event, given, change.get(event) if changed else None)
                if len(outputs) != len(event.outputs):
                    raise NotRun(event.name)
                for old, new in zip(event.outputs, outputs):
                    results[id(event), id(old)] = new
        return results

    def _call(self, event: Event, given: dict[int, Any], change: Change | None) -> list[Any]:
        if writes(event) and event.inputs:
            first = event.inputs[0][0]
            given[id(first)] = given.get(id(first), first).clone()
        if event.name in WRITING:
            for tensor, _ in event.inputs[1:]:
                if tensor._node is None:
                    given.setdefault(id(tensor), tensor.clone())
        args = [_with(argument, given) for argument in event.args]
        kwargs = {name: _with(value, given) for name, value in event.kwargs.items()}
        if change is not None:
            result = change(event, args, kwargs)
        elif event.function is None:
            raise NotRun(event.name)
        else:
            result = event.function(*args, **kwargs)
        outputs = list(tensors_of((result,), {}))
        if result is None and writes(event):
            outputs = [given[id(event.inputs[0][0])]]
        return outputs


@contextmanager
def _recording(on: bool) -> Iterator[None]:
    """Record history within the block, or do not, while nothing looks on."""
    token = put_modes(modes()._replace(grad=on, function_modes=(), anomaly=False, watcher=None))
    try:
        yield
    finally:
        reset_modes(token)


def writes(event: Event) -> bool:
    """Return whether a call writes into its first tensor."""
    name = event.name
    return name in ("__setitem__", "__iadd__", "__isub__", "__imul__", "__itruediv__") or (
        name.endswith("_") and not name.startswith("_")
    )


def _with(value: Any, given: dict[int, Any]) -> Any:
    """Return an argument with other tensors in place of some."""
    if isinstance(value, TensorBase):
        return given.get(id(value), value)
    if type(value) in (list, tuple):
        return type(value)(_with(v, given) for v in value)
    if type(value) is dict:
        return {key: _with(v, given) for key, v in value.items()}
    return value


def _equal(found: Any, y: Any) -> bool:
    a, b = np.asarray(innermost(found)), np.asarray(innermost(y))
    if a.shape != b.shape:
        return False
    with np.errstate(all="ignore"):
        return bool(np.allclose(a.astype(np.float64), b.astype(np.float64), 1e-4, 1e-7, equal_nan=True))


# --- what can be changed ------------------------------------------------------------------------------------


def passing(event: Event, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Give on what comes in, with its history."""
    return next(tensors_of(args, kwargs))


def with_nudged(event: Event, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Do the call on values that are moved away from where the op has no finite value or slope."""
    if event.function is None:
        raise NotRun(event.name)
    tensors = [a for a in args if isinstance(a, TensorBase)]
    values = [np.asarray(innermost(a)) for a in tensors]
    moved = dict(zip(map(id, tensors), zip(values, nudged(event.name.strip("_"), values))))

    def of(argument: Any) -> Any:
        """Return an argument on moved values, with its history."""
        if not isinstance(argument, TensorBase):
            return argument
        old, new = moved[id(argument)]
        with np.errstate(all="ignore"):
            shift = np.where(np.isfinite(old), new - old, 0)
        shifted: Any = argument
        if old.dtype.kind == "f":
            shifted = argument + wrap(np.asarray(shift, dtype=old.dtype))
        if old.dtype.kind == "f" and not np.isfinite(old).all():
            return shifted.where(wrap(np.isfinite(old)), wrap(new))
        return shifted

    return event.function(*map(of, args), **kwargs)


def made_finite(tensor: Any) -> Any:
    """Return a tensor with 0 where it is not finite."""
    value = np.asarray(innermost(tensor))
    return wrap(np.where(np.isfinite(value), value, 0).astype(value.dtype))


def finite_number(tensor: Any) -> float | None:
    """Return the value of a tensor with one element, where it is finite."""
    value = None if tensor is None else np.asarray(innermost(tensor))
    if value is None or value.size != 1 or not np.isfinite(value.astype(np.float64)).all():
        return None
    return float(value.reshape(()))


#: Calls whose result can be had with history: by handing on what came in.
PASSED_ON = {"detach", "detach_", "data", "tensor", "as_tensor", "new_tensor", "asarray"}


def reaches(rerun: Rerun, event: Event, leaves: list[Any]) -> dict[int, float]:
    """Return the norms of the gradients that leaves get once a call hands its history on, by their ids."""
    if not event.recording:
        loss = rerun.loss({event: _as_it_is}, unlocked=True)
    elif event.name in PASSED_ON and event.inputs and len(event.outputs) == 1:
        loss = rerun.loss({event: passing})
    else:
        return {}
    sizes = {}
    for leaf, found in zip(leaves, rerun.gradients(loss, leaves)):
        size = 0.0 if found is None else float(np.linalg.norm(found.astype(np.float64)))
        if np.isfinite(size) and size > 0:
            sizes[id(leaf)] = size
    return sizes


def _as_it_is(event: Event, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if event.function is None:
        return passing(event, args, kwargs)
    return event.function(*args, **kwargs)
