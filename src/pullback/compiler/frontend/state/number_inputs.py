"""Numbers of Python's that are inputs of a program: a position, the count of a step, a width of time.

A number that the function is given, or finds in a place that it changes, may be another one in each call. It
stays a number of Python's as long as the function computes with numbers (`deferred`). Where it meets a tensor
it becomes an input: a tensor without axes, of the dtype in which the two meet, made anew for each call. Where
that is not known to give what the number itself gives, the number is a part of the program.
"""

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....array import dtypes
from ....autograd.grad_mode import no_grad
from ....core.modes import modes
from ....core.tracer import is_traced
from ....core.value import TensorBase, dtype_of, shape_of, wrap
from ....core.versions import NoVersions
from ....ops import python_numbers
from ....ops.embedding import classes
from .deferred import (
    NUMBERS,
    TAKEN,
    Applied,
    Deferred,
    Elements,
    GivenArray,
    Item,
    comes_before,
    is_drawn_array,
    tensors_of,
)
from .session import Session

#: Operators that take a tensor without axes as they take the number.
_SIGNS = frozenset({"+", "-", "*", "/", "//", "%", "<", "<=", "==", "!=", ">", ">="})
#: Dtypes in which a number is what it is, but for its precision.
FLOATS = frozenset({np.dtype(np.float32), np.dtype(np.float64)})


def operand(value: Any, sign: str, other: Any) -> Any:
    """Return what stands for an operand of an operator whose other operand is a tensor."""
    if not isinstance(value, Deferred):
        return value
    sign = sign if sign in _SIGNS else sign.removesuffix("=")
    if sign not in _SIGNS or not isinstance(other, TensorBase):
        return value.known()
    if not comes_before(value):
        met = None if sign in ("//", "%") else _met(_kind(value), other)
        found = of_program(value, met)
        return value.known() if found is None else found
    # By a whole number of 0 eager raises.
    if sign in ("//", "%") and not Applied(value.session, bool, bool, (value,)).known():
        return value.known()
    dtype = _met(type(value.present()), other)
    found = None if dtype is None else value.session.number(value, dtype)
    return value.known() if found is None else found


def _by_python(name: str) -> Any:
    """Return a function of tensors without axes that is one of Python's of their numbers."""
    zero = np.zeros(())
    return lambda x, y=None: python_numbers.number_function(x, wrap(zero) if y is None else y, name)


def _rounded(x: Any, digits: Any = None) -> Any:
    # What Python gives is a whole number, whose 0 has no sign.
    return x.round() + 0.0 if digits is None else python_numbers.number_function(x, digits, "round")


def _kind(value: Deferred) -> type:
    """Return a number's type: float of the least of whole numbers and others, for to a tensor both are."""
    if isinstance(value, Applied) and value.function in (min, max) and value.kind is object:
        kinds = {_kind(arg) if isinstance(arg, Deferred) else type(arg) for arg in value.args}
        return float if kinds == {int, float} else object
    return value.kind


_COMPARING = frozenset({operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne})
#: Whole numbers below are what they are in float64.
_EXACT = 2**53
#: Functions of numbers that are functions of tensors without axes, in float64, bit for bit.
_OF_PROGRAM: Any = {
    operator.add: operator.add, operator.iadd: operator.add, operator.sub: operator.sub,
    operator.isub: operator.sub, operator.mul: operator.mul, operator.imul: operator.mul,
    operator.truediv: operator.truediv, operator.itruediv: operator.truediv, operator.neg: operator.neg,
    abs: operator.abs, float: operator.pos, math.sqrt: lambda x: x.sqrt(),
    # Of equal numbers, and where one is nan, Python's give the first.
    min: lambda *xs: functools.reduce(lambda x, y: y.where(y < x, x), xs),
    max: lambda *xs: functools.reduce(lambda x, y: y.where(y > x, x), xs),
    **dict.fromkeys((operator.pow, operator.ipow, math.pow), _by_python("pow")), round: _rounded,
    operator.mod: _by_python("mod"),
    **{getattr(math, n): _by_python(n) for n in python_numbers.FUNCTIONS if hasattr(math, n)},
    **{ufunc: _by_python(name) for ufunc, name in python_numbers.UFUNCS.items()},
}  # fmt: skip


def of_program(value: Deferred, dtype: np.dtype[Any] | None) -> Any:
    """Return a number that the program's tensors give as one of its tensors; None where that is not known.

    So is `x / mask.sum().item()` one program, whatever the sum is. What raises an error as a number is worked
    out as such, too, before the call changes anything (`Session.may_raise`).
    """
    if dtype is None or dtype not in FLOATS:
        return None
    found = _in_program(value)
    return found.to(dtypes.from_numpy_dtype(dtype)) if found is not None else None


def _in_program(value: Any) -> Any:
    if type(value) in NUMBERS:
        return wrap(np.array(value, np.float64))
    if isinstance(value, Item):
        source = dtype_of(value.tensor).kind
        whole = source in "iu" and value.convert in (None, int, float)
        if not whole and (source != "f" or value.convert not in (None, float)):
            return None
        return value.tensor.detach().to(dtypes.float64).reshape(())
    if isinstance(value, Applied) and not comes_before(value):
        if value.function is operator.getitem:
            (start, _, step), place = value.args[0].args, value.args[1]
            return _counted_up(_in_program(start), _in_program(step), place)
        if value.function is round and value.args[0].kind is np.float64:
            return None  # NumPy rounds otherwise than Python
        function = _OF_PROGRAM.get(value.function)
        parts = [] if function is None else [_in_program(part) for part in value.args]
        return function(*parts) if parts and all(p is not None for p in parts) else None
    if isinstance(value, Deferred) and comes_before(value) and type(value.present()) in NUMBERS:
        return value.session.number(value, np.dtype(np.float64))
    return None


def requires(value: Any, found: object) -> bool:
    """Let the program refuse its results where a number is not what the trace has found; whether it can."""
    if modes().saved_hooks or not all(map(is_traced, tensors_of(value))):
        return False
    with no_grad():
        if type(found) is bool:
            same = _truth(value)
        else:
            number = _in_program(value) if type(found) is int and abs(found) < _EXACT else None
            same = None if number is None else number == found
        if same is not None:
            wrong = same if found is False else ~same
            classes(wrong.to(dtypes.int64), 1)  # 0 is the only number of one class
    return same is not None


def _truth(value: Any) -> Any:
    """Return what Python decides by a number of the program's tensors, as one of them; None if not known."""
    if isinstance(value, Item) and value.kind is bool and value.convert in (None, bool):
        return value.tensor.detach().reshape(()) != 0
    if not isinstance(value, Applied) or comes_before(value):
        return None
    if value.function in (bool, operator.not_):
        (inner,) = value.args
        truth = _truth(inner)
        if truth is None and (number := _in_program(inner)) is not None:
            truth = number != 0
        return truth if truth is None or value.function is bool else ~truth
    parts = [_in_program(part) for part in value.args] if value.function in _COMPARING else []
    return value.function(*parts) if parts and all(p is not None for p in parts) else None


def _counted_up(start: Any, step: Any, place: int) -> Any:
    """Return an element of ``np.arange(start, end, step)``; NumPy adds multiples of the first difference."""
    if start is None or step is None or place < 2:
        return None if start is None or step is None else start + step if place else start
    return start + place * ((start + step) - start)


def floating(values: Sequence[Any]) -> np.dtype[Any] | None:
    """Return the dtype of tensors that have one in which numbers are what they are; None else."""
    if not values or not all(isinstance(v, TensorBase) for v in values):
        return None
    dtype = dtype_of(values[0])
    return dtype if dtype in FLOATS and all(dtype_of(v) == dtype for v in values) else None


def taken(session: Session, value: object, dtype: np.dtype[Any] | None) -> Any:
    """Return a number as a tensor of a dtype, also where it is known; None where it cannot be one."""
    if dtype is None:
        return None
    if isinstance(value, Deferred) and comes_before(value):
        return session.number(value, dtype) if type(value.present()) in NUMBERS else None
    if isinstance(value, Deferred):
        made = of_program(value, dtype)
        if made is not None:
            # Here eager raises where the number is no finite one in the dtype.
            Applied(session, float, _in_range, (value, float(np.finfo(dtype).max)))
        return made
    return wrap(np.array(value, dtype)) if type(value) in NUMBERS else None


def _in_range(value: float, limit: float) -> float:
    if limit < abs(value) < math.inf:
        raise OverflowError("a number is too large for the dtype")
    return value


def array(session: Session, value: Deferred) -> Any:
    """Return a tensor for a list or an array of numbers that each call makes anew; None without one."""
    found = np.asarray(value.present())
    whole = found.dtype.kind in "biu" or isinstance(value.present(), np.ndarray)
    return session.number(value, found.dtype) if whole and found.dtype.char in TAKEN else None


def shared(value: Any) -> Any:
    """Return the tensor whose memory an array has that a tensor will give; None where it is no such array."""
    is_shared = isinstance(value, Elements) and value.kind is np.ndarray
    return _beside(value.tensor) if is_shared else None


def _beside(tensor: Any) -> Any:
    """Return a tensor with the memory of another one, as an array leads to it: it counts writes by itself."""
    made = tensor.data
    if modes().inference:
        made._counter = NoVersions()
    return made


def of_array(session: Session, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a function makes of such a list or array; None where that is not known."""
    if name not in ("from_numpy", "tensor", "as_tensor", "asarray") or len(args) != 1:
        return None
    found = shared(args[0])
    if isinstance(args[0], GivenArray) and (whole := array(session, args[0])) is not None:
        found = _beside(whole)
    if found is not None and kwargs.keys() <= {"dtype", "device"}:
        given = {option: value for option, value in kwargs.items() if value is not None}
        made = found.to(**given) if given else found
        return made.clone() if name == "tensor" and made is found else made
    if kwargs:
        return None
    found = array(session, args[0]) if is_drawn_array(args[0]) else None
    if found is None or name == "tensor" or args[0].kind is list:
        return None if found is None else found.clone()
    # What is made of one array shares its memory.
    whole = args[0]
    while isinstance(whole, Applied) and whole.function is operator.getitem:
        whole = whole.args[0]
    made, of = session.arrays.setdefault(id(whole), (found.clone(), args[0]))
    return made.detach() if of is args[0] else None


def _met(kind: type, tensor: object) -> np.dtype[Any] | None:
    """Return the dtype in which a number meets a tensor; None where it counts otherwise than an input."""
    dtype = dtype_of(tensor)
    if kind is int:
        if dtype in FLOATS or dtype.kind in "iu":
            return dtype
        return np.dtype(np.int64) if dtype.kind == "b" else None
    if kind not in (float, np.float64):
        return None
    if dtype in FLOATS:
        return dtype
    # Of the default dtype is what comes of integers and a number.
    return dtypes.get_default_dtype().numpy if dtype.kind in "biu" else None


# --- subscripts ---------------------------------------------------------------------------------------------


class _Place:
    """Say where a subscript has a number that each call works out: the tensor that the rest of the
    subscript selects, its axis, the place on it, from 0 on, and how many places a slice takes; it is None
    where the number takes one, without its axis.
    """

    def __init__(self, tensor: Any, axis: int, number: Any, length: int | None) -> None:
        self.tensor, self.axis, self.number, self.length = tensor, axis, number, length

    def places(self) -> Any:
        """Return the places along the axis, as a tensor of one axis."""
        if self.length is None:
            return self.number.reshape(1)
        return self.number + wrap(np.arange(self.length))


def _place(session: Session, tensor: Any, key: object) -> _Place | None:
    """Take a subscript apart; None where it is not plain, or has no such number."""
    parts = key if type(key) is tuple else (key,)
    found = [n for n, part in enumerate(parts) if _is_later(part)]
    if len(found) != 1 or not all(map(is_plain, parts[: found[0]] + parts[found[0] + 1 :])):
        return None
    at, part = found[0], parts[found[0]]
    shape = shape_of(tensor)
    taken = sum(part is not None and part is not Ellipsis for part in parts)
    if taken > len(shape) or sum(part is Ellipsis for part in parts) > 1:
        return None
    # The axis of the tensor that the number selects from, and that of what the rest of the subscript selects.
    source = axis = 0
    for before in parts[:at]:
        if before is Ellipsis:
            source += len(shape) - taken
            axis += len(shape) - taken
        else:
            source += before is not None
            axis += type(before) is not int
    counted = _counted(session, part, shape[source])
    index = None if counted is None else session.number(counted[0], np.dtype(np.int64))
    if counted is None or index is None:
        return None
    rest = tuple(slice(None) if n == at else part for n, part in enumerate(parts))
    whole = all(type(p) is slice and p == slice(None) for p in rest)
    return _Place(tensor if whole else tensor[rest], axis, index, counted[1])


def _is_later(part: object) -> bool:
    ends = (part.start, part.stop) if type(part) is slice else (part,)
    return any(isinstance(end, Deferred) for end in ends)


def _counted(session: Session, part: Any, size: int) -> tuple[Any, int | None] | None:
    """Return the first place that a subscript's part selects, and how many a slice does, a constant."""
    if type(part) is not slice:
        if not _is_early(part) or not -size <= part.present() < size:
            return None
        return Applied(session, int, _from_start, (part, size)), None
    ends = part.start, part.stop
    known = all(end is None or type(end) is int or _is_early(end) for end in ends)
    if part.step not in (None, 1) or not known:
        return None
    length = Applied(session, int, _length, (*ends, size)).known()
    return Applied(session, int, _begin, (*ends, size)), length


def _is_early(value: object) -> bool:
    return isinstance(value, Deferred) and comes_before(value) and type(value.present()) is int


def _begin(start: int | None, stop: int | None, size: int) -> int:
    return slice(start, stop).indices(size)[0]


def _length(start: int | None, stop: int | None, size: int) -> int:
    return len(range(*slice(start, stop).indices(size)))


def is_plain(part: object) -> bool:
    """Return whether a part of a subscript is one of numbers that are known, or selects no elements."""
    if type(part) is slice:
        return all(v is None or type(v) is int for v in (part.start, part.stop, part.step))
    return part is None or part is Ellipsis or type(part) is int


def _from_start(number: int, size: int) -> int:
    if not -size <= number < size:
        raise IndexError(f"index {number} is out of bounds for dimension of size {size}")
    return number + size if number < 0 else number


def item(session: Session, tensor: Any, key: Any) -> Any:
    """Return ``tensor[key]`` for a subscript with a number that each call works out; None where that is not
    known to be what eager gives.

    It is a copy, and eager's is a view: `Session.could_tell` says whether the function could.
    """
    parts = key if type(key) is tuple else (key,)
    if any(map(_is_indices, parts)):
        return _gathered(session, tensor, parts)
    if not session.knowledge.picks:
        return None
    copy = _copied(session, tensor, parts)
    return None if copy is None else session.cells.recorder.pick(copy, tensor, key)


def _is_indices(part: object) -> bool:
    return isinstance(part, TensorBase) and bool(shape_of(part)) and dtype_of(part).kind == "i"


def _gathered(session: Session, tensor: object, parts: tuple[Any, ...]) -> Any:
    """Return ``x[indices, a:b]``, a copy in eager, too: slices keep their axes, so they go first."""
    later = [_is_later(part) for part in parts]
    fit = all(type(p) is slice if late else is_plain(p) or _is_indices(p) for p, late in zip(parts, later))
    if not any(later) or not fit:
        return None
    whole = tuple(
        part if late or part is Ellipsis else slice(None)
        for part, late in zip(parts, later)
        if part is not None
    )
    copy = _copied(session, tensor, whole)
    rest = tuple(slice(None) if late else part for part, late in zip(parts, later))
    return None if copy is None else copy[rest]


def _copied(session: Session, tensor: Any, parts: tuple[Any, ...]) -> Any:
    later = [n for n, part in enumerate(parts) if _is_later(part)]
    if len(later) > 1:
        # One after another, the last one first.
        first, rest = _apart(parts, later[-1])
        tensor = _copied(session, tensor, first)
        return None if tensor is None else _copied(session, tensor, rest)
    place = _place(session, tensor, parts)
    if place is None:
        return None
    copy = place.tensor.index_select(place.axis, place.places())
    return copy.squeeze(place.axis) if place.length is None else copy


def _apart(parts: tuple[Any, ...], at: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the subscript that selects by one part alone, and the one that selects from what that gives."""
    alone = tuple(
        part if n == at or part is Ellipsis else slice(None)
        for n, part in enumerate(parts)
        if part is not None
    )
    taken = (slice(None),) if type(parts[at]) is slice else ()
    return alone, (*parts[:at], *taken, *parts[at + 1 :])


def set_item(session: Session, tensor: Any, key: Any, value: Any) -> bool:
    """Do ``tensor[key] = value`` for such a subscript; whether that was done."""
    if isinstance(value, TensorBase) and value._counter is tensor._counter:
        return False  # a view, of which a number that is known has said which
    parts = key if type(key) is tuple else (key,)
    later = [n for n, part in enumerate(parts) if _is_later(part)]
    if len(later) > 1:
        # A box: what the last of them selects is read, written to and put back.
        alone, rest = _apart(parts, later[-1])
        copy = _copied(session, tensor, alone)
        return (
            copy is not None
            and set_item(session, copy, rest, value)
            and set_item(session, tensor, alone, copy)
        )
    place = _place(session, tensor, key)
    if place is None:
        return False
    shape, axis = shape_of(place.tensor), place.axis
    slot = (*shape[:axis], *([] if place.length is None else [place.length]), *shape[axis + 1 :])
    if not isinstance(value, TensorBase):
        if type(value) not in (bool, int, float):
            return False
        value = place.tensor.new_full(slot, value)
    if len(shape_of(value)) > len(slot):
        return False
    # The derivative of index_copy_ keeps what is copied, and that of an assignment does not.
    given = value.to(place.tensor.dtype, copy=value._node is not None).expand(slot)
    slices = given.unsqueeze(axis) if place.length is None else given
    place.tensor.index_copy_(axis, place.places(), slices)
    return True
