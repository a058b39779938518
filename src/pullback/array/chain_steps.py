"""The steps of a chain (`chains`): its kernel runs once on arrays that stand for slots, and each ufunc that
it calls on them is noted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from .chains import COLUMN, FOUR, ROWS, SCALAR, THREE, Unfit


class Operand(NamedTuple):
    """Tell an operand of a step: its slot, its use, its dtype, and which of its rows' parts."""

    slot: int
    role: tuple[int, ...]
    dtype: np.dtype[Any]
    part: int = 0
    parts: int = 1


class Step(NamedTuple):
    """Tell one call of a chain: inputs, then the output. A reduction along the rows has two inputs: the rows,
    and what each sum begins with, which are the rows again where that is their first numbers. `np.where`
    stands for the loop that chooses, which is none of NumPy's.
    """

    ufunc: Any
    reduces: bool
    operands: tuple[Operand, ...]


class Note(NamedTuple):
    """Tell a chain.

    Attributes
    ----------
    steps : tuple of Step
    given : int
        How many slots are given in a call, inputs and outputs; they are the first.
    spare : int
        How many slots hold what only the chain sees; they follow.
    constants : tuple of array
        Numbers; their slots are the last.
    """

    steps: tuple[Step, ...]
    given: int
    spare: int
    constants: tuple[ndarray, ...]


class Variant(NamedTuple):
    """Tell how an elementwise op is called on arrays of some dtypes: a chain whose result is its last slot.

    Attributes
    ----------
    note : Note
    roles : tuple of tuple of int
        What the operands are: `ROWS`, or `SCALAR` for one of Python's numbers.
    dtypes : tuple of np.dtype
        Of the operands; a number is taken in the dtype of the last array.
    made : np.dtype
        Of the result.
    lays_out : bool
        Whether operands of other shapes and strides may be copied to where the chain reads them: all of them
        say how the result is laid out.
    """

    note: Note
    roles: tuple[tuple[int, ...], ...]
    dtypes: tuple[np.dtype[Any], ...]
    made: np.dtype[Any]
    lays_out: bool = True


class _Noted(ndarray):
    """An array that stands for a slot and notes what is computed of it."""

    slot: int
    notes: _Notes
    part: int
    parts: int

    def __array_finalize__(self, source: Any) -> None:
        # A copy, or whatever else is made of one in another way than by ufuncs, stands for nothing.
        self.slot, self.notes = -1, None  # type: ignore[assignment]  # set by `_Notes.new`
        self.part, self.parts = 0, 1

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> Any:
        if self.notes is None:
            raise Unfit("an array that was made otherwise")
        return self.notes.add(ufunc, method, inputs, named)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function in _FUNCTIONS:
            return _FUNCTIONS[function](self.notes, *args, **kwargs)
        raise Unfit(f"numpy.{function.__name__} is no ufunc")

    def astype(self, dtype: Any, copy: bool = True) -> Any:  # type: ignore[override]  # what kernels ask
        """Return the elements in their own dtype."""
        if self.dtype != dtype:
            raise Unfit("a cast")
        return np.positive(self) if copy else self

    def __bool__(self) -> bool:
        raise Unfit("a branch")

    def conjugate(self, *out: Any) -> Any:
        """Return the array itself: its elements are real."""
        return self

    def view(self, dtype: Any) -> Any:  # type: ignore[override]  # what kernels ask
        """Return the same slot with its bits read as another dtype of the same size."""
        seen = super().view(dtype)
        if isinstance(seen, _Noted):
            seen.slot, seen.notes, seen.part, seen.parts = self.slot, self.notes, self.part, self.parts
        return seen

    def __getitem__(self, key: Any) -> Any:
        raise Unfit("a part of an array")

    def __setitem__(self, key: Any, value: Any) -> None:
        raise Unfit("a write to a part of an array")


def _refused(name: str) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise Unfit(f"the method {name}")

    return refuse


_SERVED = ("astype", "conjugate", "view")
# What a method reads of the elements, or writes to them, leaves no step.
for _name in dir(ndarray):
    if not _name.startswith("_") and callable(getattr(ndarray, _name)) and _name not in _SERVED:
        setattr(_Noted, _name, _refused(_name))


def noted_parts(x: _Noted, count: int) -> list[ndarray]:
    """Return what stands for so many parts of equal length of the rows that an array stands for."""
    found: list[ndarray] = []
    for k in range(count):
        part = np.ndarray.view(np.ones(ROWS, x.dtype), _Noted)
        part.slot, part.notes, part.part, part.parts = x.slot, x.notes, k, count
        found.append(part)
    return found


class _Notes:
    """Collect the steps of a chain."""

    def __init__(self) -> None:
        self.steps: list[tuple[np.ufunc, bool, list[Any]]] = []
        self.slots = 0

    def new(self, role: tuple[int, ...], dtype: np.dtype[Any]) -> _Noted:
        made = np.ndarray.view(np.ones(role, dtype), _Noted)
        made.slot, made.notes = self.slots, self
        self.slots += 1
        return made

    def add(self, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], named: dict[str, Any]) -> _Noted:
        reduces = method == "reduce"
        if (method != "__call__" and not reduces) or ufunc.nout != 1 or ufunc.signature:
            raise Unfit(f"{ufunc.__name__}.{method}")
        (out,) = out if isinstance(out := named.pop("out", ...), tuple) else (out,)
        if "where" in named and not reduces:
            found = self.add(ufunc, method, inputs, {key: v for key, v in named.items() if key != "where"})
            return self.choose(named["where"], found, out, out)
        if reduces:
            axis, dtype = named.pop("axis", 0), named.pop("dtype", None)
            along = axis in (-1, 1) and named.pop("keepdims", False) and inputs[0].shape == ROWS
            if not along or dtype not in (None, inputs[0].dtype):
                raise Unfit("a reduction that is not along the rows")
        if named:
            raise Unfit(f"{ufunc.__name__} with {', '.join(named)}")
        kinds = [v.dtype if isinstance(v, ndarray | np.generic) else type(v) for v in inputs]
        if reduces:
            made = inputs[0].dtype
            role: tuple[int, ...] = COLUMN
            constant_dtypes = [made] * 2
            inputs = (inputs[0], inputs[0] if ufunc.identity is None else ufunc.identity)
        else:
            *constant_dtypes, made = ufunc.resolve_dtypes((*kinds, None))
            if any(v.shape in (THREE, FOUR) for v in inputs if isinstance(v, ndarray)):
                raise Unfit("rows of several parts as a whole")
            role = np.broadcast_shapes(*(v.shape if isinstance(v, ndarray) else () for v in inputs))
        if out is ... or out is None:
            out = self.new(role, made)
        if not isinstance(out, _Noted) or out.shape != role or out.dtype != made:
            raise Unfit("a result of another shape or dtype")
        self._append(ufunc, reduces, inputs, constant_dtypes, out)
        return out

    def choose(self, condition: Any, x: Any, y: Any, out: Any = None) -> _Noted:
        """Note what is x where the condition holds, else y; it may be written over y."""
        made = np.result_type(*(v.dtype if isinstance(v, ndarray | np.generic) else v for v in (x, y)))
        operands = (condition, x, y)
        role = np.broadcast_shapes(*(v.shape if isinstance(v, ndarray) else () for v in operands))
        if out is None:
            out = self.new(role, made)
        if not all(isinstance(v, _Noted) for v in (condition, out)) or (out.shape, out.dtype) != (role, made):
            raise Unfit("a choice by no mask, or into another shape or dtype")
        self._append(np.where, False, operands, [np.dtype(bool), made, made], out)
        return out

    def copy_to(self, out: Any, source: Any, casting: str = "", where: Any = True) -> None:
        """Note a copy of the elements where a mask holds."""
        if where is not True:
            self.choose(where, source, out, out)
        elif isinstance(out, _Noted):
            self._append(np.positive, False, (source,), (out.dtype,), out)
        else:
            raise Unfit("a copy to an array that was made otherwise")

    def zeros(self, x: ndarray) -> _Noted:
        """Note zeros in place of the elements."""
        out = self.new(x.shape, x.dtype)
        self.copy_to(out, 0)
        return out

    def _append(
        self, loop: Any, reduces: bool, inputs: Sequence[Any], dtypes: Sequence[Any], out: _Noted
    ) -> None:
        operands: list[Any] = []
        for value, dtype in zip(inputs, dtypes, strict=True):
            if isinstance(value, ndarray | np.generic) and value.dtype != dtype:
                raise Unfit("operands of several dtypes")
            operands.append(value if isinstance(value, _Noted) else np.array(value, dtype))
        if any(isinstance(v, _Noted) and v.slot < 0 for v in (*operands, out)):
            raise Unfit("an array that was made otherwise")
        self.steps.append((loop, reduces, [*operands, out]))


#: Functions of NumPy's that leave steps, or ask for nothing of the elements.
_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _Notes.choose,
    np.copyto: _Notes.copy_to,
    np.empty_like: lambda notes, x, dtype=None: notes.new(x.shape, x.dtype if dtype is None else dtype),
    np.zeros_like: _Notes.zeros,
    np.isposinf: lambda notes, x: np.equal(x, np.inf),
    np.isneginf: lambda notes, x: np.equal(x, -np.inf),
    np.shape: lambda notes, x: x.shape,
    np.result_type: lambda notes, *xs: np.result_type(*(getattr(x, "dtype", x) for x in xs)),
}


def noted(
    kernel: Callable[..., Any], roles: Sequence[tuple[int, ...]], spare: int, dtype: np.dtype[Any]
) -> Note:
    """Return the chain that a kernel is.

    Parameters
    ----------
    kernel : callable
        ``kernel(*arrays, *spare)``, which computes with ufuncs alone and looks at no shape.
    roles : sequence of tuple of int
        What each of the arrays is.
    spare : int
        How many arrays like rows it wants beside them.

    Raises
    ------
    Unfit
        It is none.
    """
    notes = _Notes()
    kernel(*(notes.new(role, dtype) for role in roles), *(notes.new(ROWS, dtype) for _ in range(spare)))
    return _note(notes, len(roles))


def variant_of(
    kernel: Callable[..., Any], roles: tuple[tuple[int, ...], ...], dtypes: tuple[np.dtype[Any], ...]
) -> Variant:
    """Return the variant in which a kernel computes element by element, which returns its result.

    Raises
    ------
    Unfit
        It is no chain.
    """
    notes = _Notes()
    given = [notes.new(role, dtype) for role, dtype in zip(roles, dtypes, strict=True)]
    place = notes.new(ROWS, dtypes[0]).slot
    try:
        result = kernel(*given)
    except Unfit:
        raise
    except Exception as error:  # whatever a kernel meets that asks for the elements
        raise Unfit(f"{type(error).__name__}: {error}") from error
    if type(result) is not _Noted or result.shape != ROWS or result.slot <= place:
        raise Unfit("a result that is none of the steps")
    was = result.slot
    for _, _, values in notes.steps:
        for value in values:
            if isinstance(value, _Noted) and value.slot == was:
                value.slot = place
    return Variant(_note(notes, place + 1), roles, dtypes, result.dtype)


def _note(notes: _Notes, given: int) -> Note:
    constants: list[ndarray] = []
    steps = []
    for ufunc, reduces, values in notes.steps:
        operands = []
        for value in values:
            slot = value.slot if isinstance(value, _Noted) else notes.slots + len(constants)
            if not isinstance(value, _Noted):
                if value.shape != SCALAR:
                    raise Unfit("a constant array")
                constants.append(value)
            part = (value.part, value.parts) if isinstance(value, _Noted) else ()
            operands.append(Operand(slot, value.shape, value.dtype, *part))
        steps.append(Step(ufunc, reduces, tuple(operands)))
    return Note(tuple(steps), given, notes.slots - given, tuple(constants))
