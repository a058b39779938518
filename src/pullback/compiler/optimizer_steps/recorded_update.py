"""Write down what a step does to a parameter: `update` runs on stand-ins for the arrays.

A stand-in has the methods of a tensor that the updates of this package call, and computes nothing: it notes
the op, its operands and its numbers. The numbers are those of this very step, computed by the optimizer's own
code: bias corrections, rates, the branch that a count decides. So what is written down without its numbers is
the same from step to step, and a native loop is made for it once. An update that does anything else to its
arrays is `Unsupported`, and stays NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy import ndarray

from ...array.named_tuples import NamedTuple
from ...tensor.tensor import Tensor

#: Places of the arrays that every update is given; those of the state follow.
PARAM, GRAD = 0, 1


class Unsupported(Exception):
    """An update does something that stand-ins do not know."""


class Written(NamedTuple):
    """Describe what an update does, without its numbers."""

    #: How many arrays it is given.
    places: int
    #: The name of an op and its operands: the arrays' values are counted from 0, the result of each step is
    #: the next; the number k is ~k.
    steps: tuple[tuple[Any, ...], ...]
    #: The value that each array has in the end.
    results: tuple[int, ...]


class Script:
    """Note what is done to the stand-ins of some arrays."""

    def __init__(self, places: int) -> None:
        self.arrays = [StandIn(self, at, at) for at in range(places)]
        #: How often each array was written to.
        self.writes = [0] * places
        self.numbers: list[float] = []
        self._steps: list[tuple[Any, ...]] = []
        self._ends: tuple[int, ...] = ()

    def step(self, name: str, *operands: int) -> StandIn:
        """Note an op; its result."""
        self._steps.append((name, *operands))
        return StandIn(self, len(self.arrays) + len(self._steps) - 1, None)

    def operand(self, value: Any) -> int:
        """Return a value, or a number."""
        if type(value) is StandIn:
            return value.value
        if isinstance(value, Tensor) and type(value._value) is ndarray and value._value.ndim == 0:
            # One element counts as a number does.
            value = value._value.item()
        return self.number(value)

    def number(self, value: Any) -> int:
        """Return a number."""
        if type(value) is not float and type(value) is not int:
            raise Unsupported
        self.numbers.append(float(value))
        return ~(len(self.numbers) - 1)

    def close(self) -> None:
        """Note which values the arrays have in the end, and let go of the stand-ins: they refer to the
        script, and a step that leaves cycles leaves work to the collector.
        """
        self._ends = tuple(x.value for x in self.arrays)
        self.arrays.clear()

    def written(self) -> Written:
        """Return what was done."""
        return Written(len(self._ends), tuple(self._steps), self._ends)


class StandIn:
    """Stand for a tensor."""

    __slots__ = ("_place", "_script", "value")

    is_sparse = False

    def __init__(self, script: Script, value: int, place: int | None) -> None:
        self._script = script
        #: Which value it has now.
        self.value = value
        self._place = place

    def __getattr__(self, name: str) -> Any:
        raise Unsupported(name)

    def is_complex(self) -> bool:
        """Return the update is that of real arrays."""
        return False

    def add(self, other: object, *, alpha: object = 1) -> StandIn:
        script = self._script
        if alpha == 1:
            return script.step("add", self.value, script.operand(other))
        if type(other) is not StandIn:
            raise Unsupported
        return script.step("add_scaled", self.value, other.value, script.number(alpha))

    def lerp(self, end: Any, weight: Any) -> StandIn:
        script = self._script
        if type(end) is not StandIn or isinstance(weight, Tensor):
            raise Unsupported
        if abs(weight) < 0.5:
            return script.step("lerp_near", self.value, end.value, script.number(weight))
        return script.step("lerp_far", self.value, end.value, script.number(1 - weight))

    def addcmul(self, x: object, y: object, *, value: object = 1) -> StandIn:
        return self._term("addcmul", x, y, value)

    def addcdiv(self, x: object, y: object, *, value: object = 1) -> StandIn:
        return self._term("addcdiv", x, y, value)

    def _term(self, name: str, x: object, y: object, value: object) -> StandIn:
        if type(x) is not StandIn or type(y) is not StandIn:
            raise Unsupported
        return self._script.step(name, self.value, x.value, y.value, self._script.number(value))

    def maximum(self, other: object) -> StandIn:
        if type(other) is not StandIn:
            raise Unsupported
        return self._script.step("maximum", self.value, other.value)

    def clamp(self, low: object, high: object) -> StandIn:
        script = self._script
        return script.step("clamp", self.value, script.number(low), script.number(high))

    def masked_fill(self, mask: object, value: object) -> StandIn:
        if type(mask) is not StandIn:
            raise Unsupported
        return self._script.step("masked_fill", self.value, mask.value, self._script.number(value))

    def clone(self) -> StandIn:
        return StandIn(self._script, self.value, None)

    def copy_(self, source: object) -> StandIn:
        if type(source) is not StandIn:
            raise Unsupported
        return self._take(source)

    def _take(self, result: StandIn) -> StandIn:
        """Get another value, as an op in place does."""
        self.value = result.value
        if self._place is not None:
            self._script.writes[self._place] += 1
        return self

    def __rtruediv__(self, other: object) -> StandIn:
        # As for a tensor: the number, times the reciprocal.
        script = self._script
        return script.step("mul", script.step("reciprocal", self.value).value, script.number(other))


def _unary(name: str) -> Callable[..., StandIn]:
    def method(self: StandIn) -> StandIn:
        return self._script.step(name, self.value)

    return method


def _binary(name: str) -> Callable[..., StandIn]:
    def method(self: StandIn, other: object) -> StandIn:
        return self._script.step(name, self.value, self._script.operand(other))

    return method


def _in_place(name: str) -> Callable[..., StandIn]:
    pure = getattr(StandIn, name)

    def method(self: StandIn, *args: Any, **kwargs: Any) -> StandIn:
        return self._take(pure(self, *args, **kwargs))

    return method


def _complete(kind: Any) -> None:
    for name in ("sqrt", "abs", "sign", "neg"):
        setattr(kind, name, _unary(name))
    for name in ("sub", "mul", "div"):
        setattr(kind, name, _binary(name))
    for name, word in {
        "__add__": "add", "__sub__": "sub", "__mul__": "mul", "__truediv__": "div", "__gt__": "gt",
        "__lt__": "lt", "__eq__": "eq",
    }.items():  # fmt: skip
        setattr(kind, name, _binary(word))
    kind.__neg__ = kind.neg
    for name in ("add", "sub", "mul", "div", "lerp", "addcmul", "addcdiv", "sqrt", "clamp"):
        setattr(kind, f"{name}_", _in_place(name))


_complete(StandIn)


def script_of(
    change: Callable[..., None], names: Sequence[str], numbers: dict[str, Any], group: dict[str, Any]
) -> Script:
    """Return the script of a change of a parameter, which takes it, its gradient, state and group.

    `names` are of the state's arrays; `numbers` are the state's other values, which the change may write to.
    Raises `Unsupported`.
    """
    script = Script(2 + len(names))
    param, grad, *arrays = script.arrays
    state = {**dict(zip(names, arrays, strict=True)), **numbers}
    before = list(state.items())
    change(param, grad, state, group)
    if script.writes[GRAD] or len(state) != len(before) or any(state[k] is not v for k, v in before):
        raise Unsupported
    script.close()
    return script
