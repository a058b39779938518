"""Values and the one rule by which they run ops.

A value is a bare array or an instance of a `Value` class; each class is one way of running an op (record a
node, carry a tangent, carry a batch axis, write down an equation). Every value has a level; among the inputs
of a call the highest level unwraps its own kind and calls the op again on what is inside, so transforms nest
in any order.

`TensorBase` is the mechanism of the one class that users hold. `tensor/` derives the facade from it and
registers the facade here once; `wrap` makes facade objects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy import ndarray

from .levels import has_ended
from .modes import DEFAULT, NO_GRAD, Modes, modes, put_modes, reset_modes
from .versions import NoVersions

if TYPE_CHECKING:
    from weakref import ref

    from .hooks import NodeHooks
    from .node import AccumulateGrad, History
    from .op import Op
    from .recorder import Recorder
    from .views import Step, View

#: What writes the running function down, if it is traced (see `tracer.tracing`).
writer: ContextVar[Recorder | None] = ContextVar("pullback_tracing", default=None)
_writing = writer.get

_new = object.__new__


class Value:
    """Base of everything that runs ops in its own way."""

    __slots__ = ()
    _level: int = 0

    @classmethod
    def run(cls, op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...], level: int) -> Any:
        """Run `op` on `inputs`, whose highest level is `level` and belongs to this class."""
        raise NotImplementedError


class InnerValue(Value):
    """A value that users never hold: inside a facade tensor, immutable, of known shape and dtype."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def shape(self) -> tuple[int, ...]: ...
        @property
        def dtype(self) -> np.dtype[Any]: ...

    #: What makes the tensor that holds the value, of a node: where that is no new facade tensor.
    held: Any = None

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def item(self) -> Any:
        """Return the only element as a number."""
        return self.array().item()  # type: ignore[attr-defined]  # as `array_of`

    def awaited(self, tensor: TensorBase) -> Any:
        """Return what the tensor that holds this value holds once no trace of another thread uses it."""
        return self

    def escaped(self) -> Any:
        """Return what this value acts as when the transform that made it is over."""
        raise NotImplementedError


class TensorBase(Value):
    """The mechanism of a tensor: an inner value, the node that made it, a version shared with its aliases, a
    view record.

    The four slots are all that a new result sets; the rest are class-level defaults that land in the instance
    dictionary when they are first assigned (a result costs about 0.1 µs).
    """

    __slots__ = ("__dict__", "__weakref__", "_node", "_value", "_counter", "_view")

    _value: Any
    _node: History
    _counter: list[Any]
    _view: View | None

    _level: int = 0
    _born: int = 0
    _grad: Any = None
    _leaf_hooks: NodeHooks | None = None
    _accumulator: ref[AccumulateGrad] | None = None
    _retained: bool = False
    _rearranged: tuple[tuple[int, tuple[Step, ...]], ...] = ()
    #: Whether there are entries instead of elements: a covector is then handed on as the tensor it is.
    _sparse: ClassVar[bool] = False
    is_sparse: Any
    _facade: ClassVar[type[TensorBase]]

    @property
    def _inference(self) -> bool:
        return type(self._counter) is NoVersions


def register_facade(cls: type[TensorBase]) -> None:
    """Make `cls` the class of every tensor that ops return (called once, by `tensor/`)."""
    from . import facade

    TensorBase._facade = cls
    facade.provide(Tensor=cls)


def wrap(value: Any, node: Any = None, level: int = 0) -> Any:
    """Make a facade tensor around a value, with a version counter of its own."""
    tensor = _new(TensorBase._facade)
    tensor._value = value
    tensor._node = node
    tensor._counter = [0]
    tensor._view = None
    if level:
        if isinstance(value, InnerValue) and value.held is not None:
            return value.held(node)
        tensor._level = level
    if (mode := modes()) is not DEFAULT and mode is not NO_GRAD:
        if mode.inference:
            tensor._counter = NoVersions()
        if mode.transform:
            tensor._born = mode.transform
    return tensor


def within_transform(
    op: Op, inputs: Sequence[Any], mode: Modes, compute: Callable[..., Any], *given: Any
) -> Any:
    """Return ``compute(*given)``, which runs an op on tensors without levels while a transform runs and
    nothing else is special: by the short calls of `calls`, which know no transforms, in a third of the time.

    A result was made within the transform all the same, a view where what it is a view of was made.
    """
    if mode is DEFAULT or mode is NO_GRAD:
        return compute(*given)
    token = put_modes(DEFAULT if mode.grad else NO_GRAD)
    try:
        result = compute(*given)
    finally:
        reset_modes(token)
    if mode.differentiating:
        born = mode.transform
        if op.is_view:
            born = max(v._born for v in inputs if isinstance(v, TensorBase))
        for made in result if isinstance(result, tuple) else (result,):
            if isinstance(made, TensorBase):
                for v in inputs:
                    if v is made:
                        break
                else:
                    made._born = born
    return result


#: Called with a tensor, another one of the same memory that is no view of it, and how that was made.
sharing: list[Callable[[TensorBase, TensorBase, str], None]] = []


def tell_sharing(source: TensorBase, tensor: TensorBase, how: str) -> None:
    """Tell those who watch that a tensor shares the memory of another one."""
    for watch in sharing:
        watch(source, tensor, how)


def wrap_alias(value: Any, other: TensorBase, node: History = None) -> Any:
    """Make a facade tensor that shares storage, and so the version counter, with `other`."""
    if value is other._value and type(value) is not ndarray:
        value = settled(other)
    tensor = _new(TensorBase._facade)
    tensor._value = value
    tensor._node = node
    tensor._counter = other._counter
    tensor._view = None
    if other._level:
        if isinstance(value, InnerValue) and value.held is not None:
            return value.held(node)
        tensor._level = other._level
        if (shared := getattr(value, "shared", None)) is not None:
            shared(other, tensor, "detach")
    elif sharing:
        tell_sharing(other, tensor, "detach")
    if other._born:
        tensor._born = other._born
    return tensor


def settled(tensor: TensorBase) -> Any:
    """Return what a tensor holds, waiting while a trace of another thread has its value there."""
    value = tensor._value
    return value.awaited(tensor) if isinstance(value, InnerValue) else value


def array_of(value: Any) -> ndarray:
    """Return the array at the bottom of a value; a batched or traced value has none."""
    while isinstance(value, TensorBase):
        value = settled(value)
    if isinstance(value, InnerValue):
        return value.array()  # type: ignore[attr-defined]  # each inner class says whether it has one
    return value


def number_of(value: Any) -> Any:
    """Return the only element of a value as a number."""
    while isinstance(value, TensorBase):
        value = settled(value)
    return value.item()


def shape_of(value: Any) -> tuple[int, ...]:
    """Return the shape of any value as a plain tuple."""
    while type(value) is not ndarray:
        if not isinstance(value, TensorBase):
            return value.shape if isinstance(value, (ndarray, InnerValue)) else np.shape(value)
        value = value._value
    return value.shape


def dtype_of(value: Any) -> np.dtype[Any]:
    """Return the NumPy dtype of any value."""
    while type(value) is not ndarray:
        if not isinstance(value, TensorBase):
            return value.dtype if isinstance(value, (ndarray, InnerValue)) else np.asarray(value).dtype
        value = value._value
    return value.dtype


def run(op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...]) -> Any:
    """Run `op` on values of any kinds: the highest level decides how."""
    if (recorder := _writing()) is not None and recorder.patterns is not None:
        found = recorder.patterns.called(op, inputs, attrs)
        if found is not NotImplemented:
            return found
    top: Value | None = None
    level = -1
    for value in inputs:
        if isinstance(value, TensorBase):
            if (view := value._view) is not None and (
                view.at != value._counter[0] or (value._node is None and view.base._node is not None)
            ) and (
                op.derivable
                or not isinstance(value._value, ndarray)
                or not isinstance(view.base._value, ndarray)
            ):  # fmt: skip
                refresh(value)
            if value._level >= level:
                level = value._level
                top = value
        elif isinstance(value, Value) and value._level > level:
            level = value._level
            top = value
    if top is None:
        return op.evaluate(inputs, attrs)
    if level > 0 and has_ended(level):
        return run(op, tuple(escaped(v, level) for v in inputs), attrs)
    return type(top).run(op, inputs, attrs, level)


def escaped(value: Any, level: int) -> Any:
    """Return what a value of a level acts as when the transform that entered the level is over."""
    if not isinstance(value, Value) or value._level != level:
        return value
    if isinstance(value, TensorBase):
        value = value._value
    return value.escaped() if isinstance(value, InnerValue) and value._level == level else value


def refresh(tensor: TensorBase) -> None:
    """Bring a view whose base was written to up to date (`views` does it)."""
    record = tensor._view
    if record is None or (
        record.at == tensor._counter[0] and (tensor._node is not None or record.base._node is None)
    ):
        return  # as nearly all are: under `vmap(jacrev)` of a network 29 calls
    from .views import bring_up_to_date

    bring_up_to_date(tensor)


def innermost(x: Any) -> Any:
    """Return the first value inside a tensor that is not itself a tensor."""
    while isinstance(x, TensorBase):
        x = x._value
    return x
