"""The steps of a chain (`chains`): the loops of a kernel, told for rows of any number and length.

The kernel is recorded (`loop_recording`) on three rows of five numbers. So over how many elements a loop
goes, and how far its operands move, tells what that is for others: five is the length of a row, and three the
number of rows. What these cannot tell, such as a part of a row, is refused.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from .chains import COLUMN, FOUR, ROWS, SCALAR, THREE, VECTOR, Unfit
from .loop_recording import steps as recorded
from .loop_recording.arrays import Recorded, plain_of
from .loop_recording.recorder import Recorder
from .loop_recording.steps import FIXED, OWN, Unrecorded
from .named_tuples import NamedTuple
from .scipy_functions import imports

#: How often a loop is called, and on how many elements: the numbers of the counts that native code has.
ALL, LENGTH, ROW_COUNT, ONE = range(4)
_LENGTH = ROWS[1]
#: Kinds of dtypes: operands of one are converted to that of a later one.
_ORDER = "bif"
_COUNTS = {ROWS[0] * _LENGTH: ALL, _LENGTH: LENGTH, ROWS[0]: ROW_COUNT, 1: ONE}


class Operand(NamedTuple):
    """Tell an operand of a step."""

    slot: int
    begin: int  # where it begins, in bytes for each place of a row
    along: int  # bytes from one element of a call to the next
    fixed: int  # bytes from one call to the next
    for_each: int  # more of them for each place of a row


class Step(NamedTuple):
    """Tell calls of a loop, a ufunc's or one of ours by its name: the dtypes, how often it is called, on how
    many elements, and inputs, then the output.
    """

    ufunc: Any
    dtypes: tuple[np.dtype[Any], ...]
    times: int
    elements: int
    operands: tuple[Operand, ...]


class Note(NamedTuple):
    """Tell a chain."""

    steps: tuple[Step, ...]
    given: int  # how many slots are given in a call, inputs and outputs; they are the first
    spare: int  # how many slots hold what only the chain sees; they follow
    constants: tuple[ndarray, ...]  # numbers; their slots are the last


class Variant(NamedTuple):
    """Tell how an elementwise op is called on arrays of some dtypes: a chain whose result is its last slot.

    It `lays_out` where operands of other shapes and strides may be copied to where the chain reads them: all
    of them say how the result is laid out.
    """

    note: Note
    roles: tuple[tuple[int, ...], ...]  # of operands: `ROWS`, or `SCALAR` for one of Python's numbers
    dtypes: tuple[np.dtype[Any], ...]  # of operands; a number is taken in that of the last array
    made: np.dtype[Any]  # of the result
    lays_out: bool = True


class _ChainRecorder(Recorder):
    """Collect the steps of a kernel, which may write to all arrays that it is given."""

    def admit(self, *operands: Any) -> None:
        """Refuse an array of the kernel's that tells nothing: what was done with it is not known."""
        if any(type(v) is ndarray and self.find(v) is not None for v in operands):
            raise Unrecorded("an array that does not tell what is done with it")

    def place(self, array: ndarray) -> tuple[int, int]:
        """Return where an array lies that is written."""
        if (found := self.find(array)) is None or self.memories[found[0]][0] == FIXED:
            raise Unrecorded("a write to an array that was made otherwise")
        return found


def _recorded(
    kernel: Callable[..., Any], roles: Sequence[tuple[int, ...]], dtypes: Sequence[np.dtype[Any]]
) -> tuple[_ChainRecorder, Any]:
    """Run a kernel on arrays of some roles; return what it did, and its result."""
    arrays = [np.ones(role, dtype) for role, dtype in zip(roles, dtypes, strict=True)]
    recorder = _ChainRecorder(arrays)
    without = imports.set(False)
    try:
        with np.errstate(all="ignore"):
            return recorder, kernel(*map(recorder.told, arrays))
    except Exception as error:  # whatever a kernel meets that asks for the elements
        raise Unfit(f"{type(error).__name__}: {error}") from error
    finally:
        imports.reset(without)
        recorder.is_over = True


def noted(
    kernel: Callable[..., Any], roles: Sequence[tuple[int, ...]], spare: int, dtype: np.dtype[Any]
) -> Note:
    """Return the chain that ``kernel(*arrays, *spare)`` is, which computes with ufuncs and looks at no shape.

    `roles` says what each of the arrays is, `spare` how many arrays like rows it wants beside them. Raises
    `Unfit` where it is none.
    """
    every = [*roles, *(ROWS,) * spare]
    recorder, _ = _recorded(kernel, every, [dtype] * len(every))
    return _note(recorder, [*range(len(roles))])


def variant_of(
    kernel: Callable[..., Any], roles: tuple[tuple[int, ...], ...], dtypes: tuple[np.dtype[Any], ...]
) -> Variant:
    """Return the variant in which a kernel computes element by element, returning its result, or raise
    `Unfit`.
    """
    if isinstance(kernel, np.ufunc):
        return _of_ufunc(kernel, roles, dtypes)
    recorder, found = _recorded(kernel, roles, dtypes)
    rows = type(found) is Recorded and found.shape == ROWS and found.flags.c_contiguous
    memory, offset = (recorder.find(plain_of(found)) if rows else None) or (-1, 0)
    if memory < 0 or offset or recorder.memories[memory][0] != OWN:
        raise Unfit("a result that is none of the steps")
    note = _note(recorder, [*range(len(roles)), memory])
    if any(step.times != ONE or step.elements not in (ALL, ONE) for step in note.steps):
        raise Unfit("loops over rows")
    return Variant(note, roles, dtypes, found.dtype)


def _of_ufunc(
    ufunc: np.ufunc, roles: tuple[tuple[int, ...], ...], dtypes: tuple[np.dtype[Any], ...]
) -> Variant:
    """Return the variant that one loop is, at the highest of the dtypes; nothing is recorded."""
    common = max(dtypes, key=lambda dtype: (_ORDER.index(dtype.kind), dtype.itemsize))
    try:
        loop = ufunc.resolve_dtypes((*(common,) * len(dtypes), None))
    except TypeError as error:
        raise Unfit(f"{type(error).__name__}: {error}") from error
    if loop[0] is not common:
        raise Unfit("operands that the loop has converted")
    steps, read, given = list[Step](), list[Operand](), len(dtypes) + 1
    for slot, (role, dtype) in enumerate(zip(roles, dtypes, strict=True)):
        read.append(Operand(slot, 0, 0 if role == SCALAR else dtype.itemsize, 0, 0))
        if dtype is not common:
            made = Operand(given + len(steps), 0, common.itemsize, 0, 0)
            steps.append(Step("convert", (dtype, common), ONE, ALL, (read.pop(), made)))
            read.append(made)
    result = Operand(given - 1, 0, loop[-1].itemsize, 0, 0)
    note = Note((*steps, Step(ufunc, loop, ONE, ALL, (*read, result))), given, len(steps), ())
    return Variant(note, roles, dtypes, loop[-1])


def _note(recorder: _ChainRecorder, given: Sequence[int]) -> Note:
    """Return the chain that was recorded, of which some memories are given in a call."""
    wholes = [whole for _, whole, *_ in recorder.memories]
    kinds = [kind for kind, *_ in recorder.memories]
    spare = [k for k, kind in enumerate(kinds) if kind != FIXED and k not in given]
    constants = [k for k, kind in enumerate(kinds) if kind == FIXED]
    if any(wholes[k].shape != SCALAR for k in constants):
        raise Unfit("a constant array")
    slots = {k: slot for slot, k in enumerate([*given, *spare, *constants])}
    steps = tuple([_general(step, wholes, slots) for step in recorder.steps])
    return Note(steps, len(given), len(spare), tuple([wholes[k] for k in constants]))


def _general(step: recorded.Step, wholes: Sequence[ndarray], slots: dict[int, int]) -> Step:
    """Return a step as it is for rows of any number and length."""
    if (isinstance(step.ufunc, str) and step.ufunc != "choose") or step.written != 1 or len(step.sizes) > 1:
        raise Unfit(f"{step.ufunc}")
    around, size, along = step.around, step.sizes[0], step.steps
    moves = list(zip(*[operand.around for operand in step.operands], strict=True))
    sizes = [dtype.itemsize for dtype in step.dtypes]
    if size == ROWS[0] and any(a not in (0, itemsize) for a, itemsize in zip(along, sizes, strict=True)):
        # First numbers of rows lie as far apart as rows do.
        around, size, moves = (*around, size), 1, [*moves, along]
    if size == 1:
        along = (0,) * len(sizes)
    if around not in ((), ROWS[:1]) or size not in _COUNTS:
        raise Unfit("a loop that is not along the rows")
    times, elements = ROW_COUNT if around else ONE, _COUNTS[size]
    by = moves[0] if moves else (0,) * len(sizes)
    operands = []
    for (memory, offset, _), *told in zip(step.operands, along, by, sizes, strict=True):
        operands.append(_operand(slots[memory], wholes[memory].shape, times, elements, offset, *told))
    out = operands[-1]
    if not (out.fixed or out.for_each if around else out.along or elements == ONE):
        raise Unfit("a reduction that is not along the rows")
    return Step(step.ufunc, step.dtypes, times, elements, tuple(operands))


def _operand(
    slot: int, role: tuple[int, ...], times: int, elements: int, offset: int, along: int, by: int, size: int
) -> Operand:
    """Return an operand that lies in an array of a role as it does for rows of any number and length."""
    if role not in (ROWS, COLUMN, VECTOR, SCALAR, THREE, FOUR) or size > 8:
        raise Unfit("an array of another shape, or of elements that spare arrays do not hold")
    parts = role[1] // _LENGTH if role in (ROWS, THREE, FOUR) else 0
    if parts and times == ONE and elements != ALL:
        raise Unfit("a part of the rows")
    part, rest = divmod(offset, size * _LENGTH)
    fixed = size if role == COLUMN and times == ROW_COUNT else 0
    for_each = size * parts if times == ROW_COUNT else 0
    next_element = 0 if role == SCALAR or fixed or elements == ONE else size
    if rest or part >= max(parts, 1) or (along, by) != (next_element, fixed + for_each * _LENGTH):
        raise Unfit("a part of an array")
    return Operand(slot, size * part, along, fixed, for_each)
