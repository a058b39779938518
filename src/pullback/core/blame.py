"""Remember the user's lines: where a node was made, a storage was written to, backward ran.

This is always on, so it must cost next to nothing and keep nothing alive. A place is a code object and the
position of an instruction in it, taken from the caller's frame; never the frame itself, which would keep its
variables. Which file and line that is, is worked out when it is asked for. Frames inside this package say
nothing about the user's program and are passed over.

What it costs is measured in docs/design/0005-blame.md: 3 to 4 % of a small op forward and backward.
"""

from __future__ import annotations

import itertools
import os
import sys
from itertools import islice
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from ..array.named_tuples import NamedTuple

if TYPE_CHECKING:
    from .node import Node

PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep

#: Numbers of nodes: younger ones have larger numbers.
numbers = itertools.count()
next_sequence = numbers.__next__

_caller = sys._getframe


class _Own(dict[str, bool]):
    """Say whether a file belongs to this package: asked once for each, then a look-up of 20 ns."""

    def __missing__(self, filename: str) -> bool:
        found = self[filename] = filename.startswith(PACKAGE)
        return found


own_file = _Own()


def user_frame(frame: FrameType) -> FrameType:
    """Return the first frame outside this package, from `frame` outward; the outermost if there is none."""
    return outer_frame(frame) if own_file[frame.f_code.co_filename] else frame


def outer_frame(frame: FrameType) -> FrameType:
    """Return the same from a frame that is inside this package."""
    above = frame.f_back
    while above is not None:
        frame = above
        if not own_file[frame.f_code.co_filename]:
            break
        above = frame.f_back
    return frame


def stamp(node: Node) -> None:
    """Give a node that is being made its number, the place of the user's call, and no hooks."""
    node._hooks = None
    node._seq = next_sequence()
    frame = _caller(2)
    code = frame.f_code
    if own_file[code.co_filename]:
        frame = outer_frame(frame)
        code = frame.f_code
    node._code = code
    node._at = frame.f_lasti


def stamp_write(node: Node, counter: list[Any]) -> None:
    """Do what `stamp` does for the node of a write that `written` has just noted: the place is known."""
    node._hooks = None
    node._seq = next_sequence()
    node._code, node._at = counter[1][-1][2:4]


# --- where a storage was written to -------------------------------------------------------------------------

#: So many changes of place are remembered for a storage; of a loop that writes from one line it is one.
REMEMBERED = 16


def written(*counters: list[Any]) -> None:
    """Count a write in version counters and note its place.

    What is noted stands behind the count: a list of [first version, last version, code, position, number],
    one for each run of writes from the same place; the number tells which nodes are older than the last
    write.
    """
    frame = _caller(1)
    code = frame.f_code
    if own_file[code.co_filename]:
        frame = outer_frame(frame)
        code = frame.f_code
    at = frame.f_lasti
    for counter in counters:
        counter[0] = version = counter[0] + 1
        if len(counter) == 1:
            counter.append([])
        runs = counter[1]
        if runs and (last := runs[-1])[2] is code and last[3] == at and last[1] == version - 1:
            last[1] = version
            last[4] = next_sequence()
            continue
        runs.append([version, version, code, at, next_sequence()])
        if len(runs) > REMEMBERED:
            del runs[0]


def written_again(counter: list[Any], times: int) -> None:
    """Count more writes from the place of the last one."""
    counter[0] += times
    counter[1][-1][1] = counter[0]


# --- where backward freed a graph ---------------------------------------------------------------------------


#: Stands for the version counter of what was freed.
_GONE: list[Any] = [None]


def freed_by_caller(depth: int) -> tuple[Any, ...]:
    """Return what nodes get in place of the saved values that the user's backward frees.

    One tuple stands in all of them. It looks like a saved value whose version has moved on, so that the check
    of versions, which every pullback does, finds it at no cost. `depth` counts the frames from here that are
    known to be inside this package.
    """
    frame = _caller(depth)
    code = frame.f_code
    if own_file[code.co_filename]:
        frame = outer_frame(frame)
        code = frame.f_code
    return (None, _GONE, 0, code, frame.f_lasti, next_sequence())


def freed_at_instruction(code: CodeType, at: int) -> tuple[Any, ...]:
    """Return the same for a backward at a place that is known."""
    return (None, _GONE, 0, code, at, next_sequence())


def is_freed(saved: tuple[object, ...]) -> bool:
    """Return whether what a node saved was freed."""
    return len(saved) > 1 and saved[1] is _GONE


def freed_when(saved: tuple[object, object, object, object, object, int]) -> int:
    """Return the number that divides the nodes made before that backward from those made after it."""
    return saved[5]


def freed_at(saved: tuple[Any, ...]) -> Place | None:
    """Return where the backward ran that freed what a node saved."""
    return place_at(saved[3], saved[4])


# --- reading a place ----------------------------------------------------------------------------------------


class Place(NamedTuple):
    """A line of the user's program: for a call that spans lines, that where the call begins."""

    file: str
    line: int
    function: str  # the function around it; ``<module>`` at the top of a file
    code: str  # the text of the line, "" where the source cannot be read
    expression: str = ""  # the part of the source that was running, "" where it is not known

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}"
        inside = "" if self.function == "<module>" else f", in {self.function}"
        return f"{where}{inside}" + (f": {self.code}" if self.code else "")


def place_at(code: CodeType | None, at: int) -> Place | None:
    """Return the place of an instruction; None where it lies inside this package."""
    if code is None or own_file[code.co_filename]:
        return None
    line, text, parts = written_at(code, at)
    return Place(code.co_filename, line, code.co_name, text.strip(), " ".join(part.strip() for part in parts))


def written_at(code: CodeType, at: int) -> tuple[int, str, list[str]]:
    """Return the line of an instruction, its text, and the expression that the instruction is part of, line
    by line; no lines where the expression is not known.
    """
    import linecache

    start, end, column, end_column = next(islice(code.co_positions(), at // 2, None), (None,) * 4)
    line = start or code.co_firstlineno
    lines = [linecache.getline(code.co_filename, k) for k in range(line, (end or line) + 1)]
    if start is None or column is None or end_column is None or not all(lines):
        return line, lines[0], []
    encoded = [text.encode() for text in lines]
    encoded[-1] = encoded[-1][:end_column]
    encoded[0] = encoded[0][column:]
    return line, lines[0], [part.decode(errors="replace") for part in encoded]


def variable_of(value: object) -> tuple[str, Place | None] | None:
    """Return the calling program's name of a value, and the line that last gave it the name.

    A variable of the innermost frame of the program that has one, or a parameter of a module in a variable.
    """
    frame: FrameType | None = user_frame(_caller(1))
    while frame is not None:
        for variables in (frame.f_locals, frame.f_globals):
            for name, held in variables.items():
                if held is value:
                    return name, _assigned_at(frame, name)
            for name, held in variables.items():
                # Asked of the type: an object's own look-up may run anything, an import even.
                if hasattr(type(held), "named_parameters"):
                    for path, parameter in held.named_parameters():
                        if parameter is value:
                            return f"{name}.{path}", _assigned_at(frame, name)
        frame = frame.f_back
    return None


def _assigned_at(frame: FrameType, name: str) -> Place | None:
    """Return the last instruction before the one that runs which gives a variable of a frame its value."""
    import dis

    now = _span(next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), None))
    stores, others = [], []
    for step in dis.get_instructions(frame.f_code):
        if step.offset >= frame.f_lasti:
            break
        if step.opname == "LOAD_FAST_AND_CLEAR" and step.argval == name:
            # A comprehension with a variable of that name begins (CPython 3.12): what it assigns, and what it
            # puts back when it ends, is no assignment of the function's own.
            others += [s for s in (_span(step.positions),) if s is not None and not _is_within(now, s)]
        if not step.opname.startswith("STORE_") or any(_is_within(_span(step.positions), s) for s in others):
            continue
        # Of two variables (CPython 3.13) both are assigned, or the second is read.
        names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        if name in names[: 1 if step.opname == "STORE_FAST_LOAD_FAST" else 2]:
            stores.append(step.offset)
    return place_at(frame.f_code, stores[-1]) if stores else None


_Span = tuple[tuple[int, int], tuple[int, int]]


def _span(positions: Any) -> _Span | None:
    """Return where some source begins and ends; None where that is not known."""
    if positions is None or None in positions:
        return None
    line, end_line, column, end_column = positions
    return (line, column), (end_line, end_column)


def _is_within(inner: _Span | None, outer: _Span) -> bool:
    return inner is not None and outer[0] <= inner[0] and inner[1] <= outer[1]


def place_of(node: Node) -> Place | None:
    """Return where the user's program made a node; None for the end of the graph at a leaf."""
    return place_at(getattr(node, "_code", None), getattr(node, "_at", 0))


def changes(counter: list[Any], since: int = 0) -> list[Place]:
    """Return places that wrote to a storage after it had version `since`, first write first."""
    if len(counter) == 1:
        return []
    found = []
    for _, last, code, at, _ in counter[1]:
        place = place_at(code, at) if since < last <= counter[0] else None
        if place is not None:
            found.append(place)
    return found


def written_since(counter: list[Any], sequence: int) -> bool:
    """Return whether a storage was written to after the node with a number was made."""
    return len(counter) > 1 and bool(counter[1]) and counter[1][-1][4] > sequence


def last_write(counter: list[Any]) -> int:
    """Return the number of the last node made before the last write; -1 where none is remembered."""
    return counter[1][-1][4] if len(counter) > 1 and counter[1] else -1


def change_at(counter: list[Any], version: int) -> Place | None:
    """Return where a version was written; None where that is forgotten or was outside the program."""
    if len(counter) > 1:
        for first, last, code, at, _ in counter[1]:
            if first <= version <= last:
                return place_at(code, at)
    return None


def has_saved(node: Node) -> bool:
    """Return whether a node has anything to free: an op saves only what the inputs that require grad need."""
    if (op := node._op) is None or op.once:
        return True
    for v in node._saved[: 3 * op.layout.count : 3]:  # noqa: SIM110  # a fifth of what `any` costs
        if v is not None:
            return True
    return False
