"""Nodes that write loops of their own: values added at places, and values side by side."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from math import prod
from typing import Any

from ..emit.emitter import MAPPED
from .buffer import Buffer
from .context import Context, distinct
from .handlers import Analysis, Handler
from .index import Indices, Variable, atom_index, constant, linear, strides_of, unravel
from .lowered import Body, Lowered, Routine, Shape
from .views import copied

#: Bytes of a row from which it is copied as one piece rather than element by element. 200 parts of 12 numbers
#: as loops took LLVM 1.8 s, as pieces 0.03: Adam on 200 small parameters begins in 0.9 s instead of 6.3.
PIECE = 64

Places = Callable[[Any, Indices], Indices]
#: What is added, where, and whether an element counts.
Part = tuple[Lowered, Places, Body | None]


def scattered(
    context: Context, base: Lowered | None, shape: Shape, source: Lowered, where: Places,
    kept: Body | None = None, accumulate: bool = True, beside: Sequence[Part] = (),
) -> Lowered:  # fmt: skip
    """Return `base`, or zeros, with the elements of `source` added (or written) at the places `where`, in
    order. Where the result lies in the memory of the base, nothing else is touched.

    The places are the indices into the result of an element of the source; `kept` says whether it counts,
    else zero is added. `beside` are other such sources of the same shape, of which an element is added right
    after the one here, so that what they share is computed once: without a base only.
    """
    over = None if base is None or base.buffer is None or base.shape != shape else base.buffer
    read: Any = Analysis()
    source.body(read, spread(variables("i", source.shape)))
    if over is not None and over in {r.buffer for r in read.reads}:
        # Stored, it lets the result lie in the memory of what it is made from.
        source = context.cheap(source)
    buffer, parts = context.buffer(shape, source.dtype), ((source, where, kept), *beside)

    def value(ops: Handler, at: Indices, source: Lowered = source, kept: Body | None = kept) -> Any:
        found = source.at(ops, at)
        return found if kept is None else ops.select(kept(ops, at), found, ops.constant(0, source.dtype))

    def look(ops: Any) -> None:
        at = spread(variables("i", source.shape))
        for part, goes, counts in parts:
            goes(ops, at)
            value(ops, at, part, counts)
        if base is not None:
            base.body(ops, spread(variables("o", shape)))

    at, analysis = variables("i", source.shape), Analysis()
    target = linear(where(analysis, spread(at)), strides_of(shape))
    if over is not None:
        given: Any = Analysis()
        value(given, spread(at))
        if over in {r.buffer for r in (*analysis.reads, *given.reads)}:
            over = None
    # Elements of the innermost loop go to different places when only the loop itself tells them apart.
    apart = bool(at) and target.coefficient(at[-1]) not in (None, 0) and not any(
        at[-1].name in read.index.variables() for read in analysis.reads
    )

    def write(ops: Any) -> None:
        first = variables("o", shape)
        with nullcontext() if over is None else ops.unless_same(buffer, over), nest(ops, first):
            indices = spread(first)
            start = ops.constant(0, source.dtype) if base is None else base.at(ops, indices)
            ops.store(buffer, linear(indices, strides_of(shape)), start)
        loops = variables("i", source.shape)
        outer = loops[:-1] if apart else []
        with nest(ops, outer, independent=False), ExitStack() as row:
            if apart:
                # Places of whole rows are known before their elements: LLVM cannot tell that what is written
                # is no index, would read it again for each element, and see no row in memory.
                where(ops, (*spread(outer), constant(0)))
                value(ops, (*spread(outer), constant(0)))
            row.enter_context(nest(ops, loops[len(outer) :], independent=apart))
            indices = spread(loops)
            found = [(linear(goes(ops, indices), strides_of(shape)), value(ops, indices, part, counts))
                     for part, goes, counts in parts]  # fmt: skip
            for place, given in found:
                ops.store(buffer, place, ops.add(ops.reread(buffer, place), given) if accumulate else given)

    return filled(context, buffer, write, look, over)


def joined(context: Context, parts: Sequence[Lowered], dim: int) -> Lowered:
    """Return values side by side along an axis."""
    shape = list(parts[0].shape)
    shape[dim] = sum(part.shape[dim] for part in parts)
    buffer = context.buffer(tuple(shape), parts[0].dtype)

    def write(ops: Any) -> None:
        start = 0
        for part in parts:
            loops, indices, size = _way(part, dim)
            with nest(ops, loops, independent=size == 1):
                place = (*indices[:dim], indices[dim] + start, *indices[dim + 1 :])
                target = linear(place, strides_of(buffer.shape))
                if size > 1:
                    given: Any = Analysis()
                    ops.copy(buffer, target, *part.at(given, indices).read, size)
                else:
                    ops.store(buffer, target, part.at(ops, indices))
            start += part.shape[dim]

    def look(ops: object) -> None:
        for part in parts:
            part.body(ops, spread(variables("i", part.shape)))

    return filled(context, buffer, write, look)


def _way(part: Lowered, dim: int) -> tuple[list[Variable], Indices, int]:
    """Return loops over a part, where each step begins, and how many elements it copies as one piece.

    Of the axes from `dim` on, whose elements follow each other in the result, one loop is made where they do
    so in all that is read, too: four computed parts of (200, 4, 7, 3) took 51 µs, and take 15.
    """
    shape, loops = part.shape, variables("i", part.shape)
    axis = _piece(part, loops, dim)
    if axis < len(loops):
        places = (*spread(loops[:axis]), *(constant(0) for _ in loops[axis:]))
        return loops[:axis], places, prod(shape[axis:])
    given, fewer = Analysis(), variables("i", (*shape[:dim], prod(shape[dim:])))
    *before, run = spread(fewer)
    places = (*before, *unravel(run, shape[dim:]))
    part.body(given, places)
    if any(index.divides() for index in given.indices):
        return loops, spread(loops), 1
    return fewer, places, 1


def _piece(part: Lowered, loops: Sequence[Variable], dim: int) -> int:
    """Return the axis from which on a part's elements lie in memory as they do in a join along `dim`."""
    given: Any = Analysis()
    read = getattr(part.at(given, spread(loops)), "read", None)
    axis = len(loops)
    if read is None or given.count or read.buffer.dtype != part.dtype:
        return axis
    for n in range(len(loops) - 1, dim - 1, -1):
        if loops[n].extent > 1 and read.index.coefficient(loops[n]) != strides_of(part.shape)[n]:
            break
        axis = n
    size = prod(part.shape[axis:])
    is_long = size == prod(part.shape) or size * part.dtype.itemsize >= PIECE
    return axis if size > 1 and is_long else len(loops)


def cat(context: Context, *given: Any) -> Lowered | None:
    """Lower ``cat``, given its parts, their sizes and the dimension."""
    *parts, _, dim = given
    return joined(context, parts, dim) if all(p.dtype == context.results[0][1] for p in parts) else None


def stack(context: Context, *given: Any) -> Lowered | None:
    """Lower ``stack``, given its parts and the dimension."""
    *parts, dim = given
    shape = tuple(1 if a == dim else n for a, n in enumerate(context.results[0][0]))
    return cat(context, *(copied(part, shape) for part in parts), None, dim)


def filled(
    context: Context, buffer: Buffer, write: Callable[[Any], None], look: Callable[[Any], object],
    over: Buffer | None = None,
) -> Lowered:  # fmt: skip
    """Return what loops of their own write to a buffer; `look` runs what they read, `over` see `Routine`."""
    analysis: Any = Analysis()
    look(analysis)
    reads = distinct(r.buffer for r in analysis.reads if r.buffer is not buffer)
    context.nodes.append(Routine(buffer, reads, write=write, over=over))
    return context.held(buffer)


def nest(ops: Any, variables: Sequence[Variable], independent: bool = True) -> Any:
    """Open loops over variables; the elements of the innermost one do not touch each other where they are
    `independent`. A short one is not unrolled before it is vectorized: as straight code 48 columns take LLVM
    ten times as long.
    """
    loops = ExitStack()
    inner = [v for v in variables if v.extent > 1]
    for variable in inner:
        kind = None
        if variable is inner[-1] and independent:
            kind = "5" if variable.extent in MAPPED else "1"
        loops.enter_context(ops.loop(variable, "0", str(variable.extent), kind))
    if inner and independent:
        ops.group = "0"
        loops.callback(setattr, ops, "group", None)
    if not inner:
        loops.enter_context(ops.scope())
    return loops


def variables(letter: str, shape: Shape) -> list[Variable]:
    """Return a loop variable for each axis."""
    return [Variable(f"{letter}{n}", extent) for n, extent in enumerate(shape)]


def spread(loops: Sequence[Variable]) -> Indices:
    """Return the indices that loop variables are."""
    return tuple(atom_index(v) if v.extent > 1 else constant(0) for v in loops)


LOWERINGS: dict[str, Callable[..., Lowered | None]] = {"cat": cat, "stack": stack}
