"""Cut a trace in two programs: one for the call, one for the covectors that come later.

What the second reads of the first is saved; what is cheap to compute again is not. Cells that no program
reads and that the call does not change are left out.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from math import prod
from typing import Any

from ...core.op import TABLE
from ...core.recorder import Equation, Recorder, Reference, read_by
from ...core.tracer import Tracer
from ...core.value import TensorBase
from ...ops.cheap import CHEAP
from ..passes.loop_rolling import Roller
from ..passes.pipeline import rewritten
from ..passes.simplification import needed
from ..program.program import Program
from .captured import Captured, Cell, Saved
from .cells import Cells
from .results import Result
from .state.session import Session
from .unsupported import Unsupported


def program_of(
    recorder: Recorder, equations: Iterable[Equation], inputs: Sequence[int], outputs: Sequence[int]
) -> Program:
    """Return equations as a program."""
    equations = list(equations)
    read = read_by(equations).union(outputs)
    constants = {k: v for k, v in recorder.constants.items() if k in read}
    return Program(inputs, equations, outputs, constants, recorder.shapes, recorder.dtypes)


def cut(
    out: Captured, cells: Cells, forward: list[Equation], numbers: list[int], covectors: Sequence[Any],
    pulled: Sequence[Any],
) -> list[Equation]:  # fmt: skip
    """Set the pullback, and what the call saves for it; return the equations of the call.

    Parameters
    ----------
    forward
        The equations of the call, the first of the recorder's.
    numbers
        The outputs of the call's program; what is saved is added to them.
    covectors
        The values that stand for the covectors.
    pulled
        What comes of them for each of ``out.pulled``; None where none arrives.
    """
    recorder = cells.recorder
    later = recorder.equations[len(forward) :]
    targets: list[int] = []
    for n, (at, _) in enumerate(out.pulled):
        value = pulled[n]
        if value is None:
            continue
        if isinstance(value, TensorBase):
            value = value._value
        if not isinstance(value, Tracer):
            _, seen = recorder.operand(value)
            value = Tracer(recorder, recorder._constant_of[id(seen)][1])
        targets.append(value.index)
        out.pulled[n] = (at, len(targets) - 1)
    kept = needed(later, targets, recorder.dtypes)
    roller = Roller(recorder)
    forward = rewritten("half", forward, roller, [*numbers, *read_by(kept), *targets])
    kept = rewritten("half", kept, roller, targets)
    known = {*recorder.constants, *(c.index for c in covectors), *(o for e in kept for o in e.outputs)}
    written = {at for at, _ in out.writes}
    watched = {m.number for m in out.made}.union(v for at, v in enumerate(cells.inputs) if at not in written)
    again, saved, copied = _shared(recorder, (kept, targets), known, forward, frozenset(numbers), watched)
    _save(out, cells, saved, copied, numbers)
    inputs = [*saved, *(c.index for c in covectors)]
    repeated = [e for e in forward if e.outputs[0] in again]
    out.pullback = program_of(recorder, [*repeated, *kept], inputs, targets)
    return needed(forward, numbers, recorder.dtypes)


def _shared(
    recorder: Recorder, pullback: tuple[Sequence[Equation], Iterable[int]], known: Container[int],
    forward: Sequence[Equation], outputs: Container[int], watched: Container[int],
) -> tuple[Container[int], list[int], Container[int]]:  # fmt: skip
    """Return the values of the call that the pullback computes again, those that it is given, and of these
    those that it is given as they were.

    To a tensor that is `watched` the user may write before backward. In eager, what a derivative reads of it
    or of a view of it is then refused, or is seen if no version counts it (`.data`, NumPy); what the call has
    computed of it stays as it was. So that is saved, or, where it is larger and no derivative reads the
    tensor itself, the tensor as it was. Of the 56 open rows of the suite, their loss compiled, 37 save the
    same, the others at most 64 KB more, and they take as long.
    """
    maker = {o: e for e in forward for o in e.outputs}

    def owner(v: int) -> int:
        while v in maker and TABLE[maker[v].op].kind == "view":
            v = _read(maker[v])[0]
        return v

    def size(v: int) -> int:
        return prod(recorder.shapes[v]) * recorder.dtypes[v].itemsize

    again: set[int] = set()
    saved: dict[int, None] = {}
    copied: set[int] = set()
    reads = [*(v for e in pullback[0] for v in _read(e)), *pullback[1]]
    read = {owner(v) for v in reads}
    waiting = reads[::-1]
    while waiting:
        v = waiting.pop()
        if v in known or v in again or v in saved:
            continue
        equation = maker.get(v)
        if equation is None or v in copied or not _is_cheap(equation, outputs):
            saved[v] = None
            continue
        later = [x for x in _read(equation) if owner(v) == v and owner(x) in watched]
        if later and (not read.isdisjoint(map(owner, later)) or size(v) <= sum(map(size, later))):
            saved[v] = None
            continue
        copied.update(later)
        again.update(equation.outputs)
        waiting.extend(_read(equation))
    return again, list(saved), copied


def _read(equation: Equation) -> list[int]:
    return [o.index for o in equation.operands if isinstance(o, Reference)]


def _save(
    out: Captured, cells: Cells, saved: Iterable[int], copied: Container[int], numbers: list[int]
) -> None:
    """Set where each value that the pullback is given is found after the call."""
    at_input = {number: at for at, number in enumerate(cells.inputs)}
    written = {at for at, _ in out.writes}
    by_number = {m.number: n for n, m in reversed([*enumerate(out.made)])}
    for v in saved:
        cell, made = (None, None) if v in copied else (at_input.get(v), by_number.get(v))
        itself = out.saved_themselves.get(v)
        if itself is not None or (cell is not None and cell not in written):
            out.saved.append(Saved(None, cell if itself is None else itself, None, itself is not None))
        elif made is not None and out.made[made].placement is None:
            out.saved.append(Saved(out.made[made].output, None, made))
        else:
            numbers.append(v)
            out.saved.append(Saved(len(numbers) - 1, None, made))


def trim(out: Captured, cells: Cells, session: Session) -> None:
    """Leave out numbers and gradients that the program does not read and the call does not change."""
    keep = _kept(out, cells, session)
    place = {at: n for n, at in enumerate(keep)}
    found = [cells.found[at] for at in keep]
    out.cells = [Cell("grad", place[cell.where]) if cell.kind == "grad" else cell for cell in found]
    out.program.inputs = tuple(cells.inputs[at] for at in keep)
    out.writes = [(place[at], n) for at, n in out.writes]
    out.copied = [place[at] for name in session.copied if (at := cells.index[name]) in place]
    out.new_leaves = [place[at] for at in out.new_leaves]
    out.grads = [(place[at], n, times) for at, n, times in out.grads]
    out.pulled = [(place[at], n) for at, n in out.pulled]
    out.results = [_renumbered(r, place) for r in out.results]
    out.made = [
        m if m.placement is None or m.placement.cell is None
        else m._replace(placement=m.placement._replace(cell=place[m.placement.cell]))
        for m in out.made
    ]  # fmt: skip
    out.saved = [s if s.cell is None else s._replace(cell=place[s.cell]) for s in out.saved]
    written = {at for at, _ in out.writes}
    # A gradient may have come and gone where none was before.
    accumulated = {at for at, *_ in out.grads}.union(place[at] for at in out.grad_absent if at in place)
    accumulated |= {cell.where for at, cell in enumerate(out.cells) if cell.kind == "grad" and at in written}
    accumulated |= {place[at] for at in keep if id(cells.tensors[at]) in cells.differentiated}
    out.accumulated = sorted(accumulated)
    out.hooked = {}
    for n in out.accumulated:
        slots = cells.before[keep[n]]
        if slots.hooks is None:
            continue
        kind = slots.hooks.on_leaf()
        if not kind or (kind is True and id(slots.tensor) not in session.reduced):
            raise Unsupported("a leaf has hooks")
        out.hooked[n] = slots.hooks, kind
    out.grad_absent = [place[at] for at in out.grad_absent if at in place]
    out.grad_present = [place[at] for at in out.grad_present]


def _kept(out: Captured, cells: Cells, session: Session) -> list[int]:
    """Return the cells that are read or changed, and those whose gradients are, which must be there.

    Of other tensors the function may have asked the shape, or another thing that only a cell is compared for.
    """
    read = read_by(out.program.equations).union(out.program.outputs)
    asked = {at for at, t in enumerate(cells.tensors) if id(t) in session.asked_grads}
    touched = {*out.new_leaves, *(at for at, *_ in (*out.writes, *out.grads, *out.pulled))}
    touched |= {at for r in _sources(out.results) if (at := _cell_of(r)) is not None}
    touched |= asked
    touched |= {at for at, cell in enumerate(cells.found) if cell.kind not in ("grad", "number")}
    touched |= {at for at, cell in enumerate(cells.found) if cell.kind == "grad" and cell.where in asked}
    placed = [m.placement for m in out.made if m.placement is not None]
    touched |= {placement.cell for placement in placed if placement.cell is not None}
    touched |= {s.cell for s in out.saved if s.cell is not None}
    keep = [at for at, number in enumerate(cells.inputs) if number in read or at in touched]
    parents = [cells.found[at].where for at in keep if cells.found[at].kind == "grad"]
    out.grad_present += parents
    return sorted({*keep, *parents})


def _sources(results: Iterable[Result]) -> Iterator[Result]:
    """Yield the results, and the tensors that numbers among them are computed from."""
    for result in results:
        if result.kind == "number":
            yield from _sources(result.at[1].values())
        else:
            yield result


def _cell_of(result: Result) -> int | None:
    """Return the cell that a result is, shares the memory of, or is the gradient of."""
    while result.source is not None:
        result = result.source
    return result.at if result.kind in ("cell", "grad") else None


def _renumbered(result: Result, place: dict[int, int]) -> Result:
    if result.kind == "number":
        value, sources = result.at
        return result._replace(at=(value, {t: _renumbered(r, place) for t, r in sources.items()}))
    if result.source is not None:
        return result._replace(source=_renumbered(result.source, place))
    return result._replace(at=place[result.at]) if result.kind in ("cell", "grad") else result


def _is_cheap(equation: Equation, outputs: Container[int]) -> bool:
    if any(o in outputs for o in equation.outputs):
        return False
    return TABLE[equation.op].kind == "view" or equation.op in CHEAP
