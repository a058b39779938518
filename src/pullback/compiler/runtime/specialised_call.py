"""The short way through a call: a Python function written for one specialisation.

It calls native code once, which makes the results, checks the guards and runs the program, and puts the
results in their places; there is no loop in it, and nothing that native code could do. Where anything is not
as at the trace it does nothing and says so (`MISS`), and the call goes the long way (`compiled`).
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core import blame
from ...core.calls import edge_of
from ...core.graph_errors import is_freed_graph
from ...core.hooks import leaves_hooked
from ...core.modes import DEFAULT, NO_GRAD, modes
from ...core.node import LEAF, Output
from ...core.value import TensorBase, wrap
from ...func.tree import TreeSpec, tree_unflatten
from ..frontend.captured import Captured
from ..frontend.deferred import Applied, comes_before
from ..frontend.guards import SCALARS, is_same
from ..frontend.heard_warnings import WarnAgain
from . import native_call, native_results
from . import native_specification as words
from .boundary import boundary, refusal, spent
from .executable import Executable
from .guards import Places, Watch, array_record, result_record, tensor_record
from .object_layout import layout

#: What a short way answers when a call is not its own.
MISS: Any = type("Miss", (), {"__repr__": lambda self: "MISS"})()

#: Programs that touch fewer elements keep the interpreter's lock: giving it up takes longer than they run.
SHORT = 20_000
#: So many writes to one tensor are counted one by one.
_FEW = 8


def _runs(executable: Executable, table: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return fields of a specification: how a program is run on the addresses in a table."""
    free = {} if executable.elements < SHORT else {
        name: ctypes.cast(getattr(ctypes.pythonapi, function), ctypes.c_void_p).value
        for name, function in (("save", "PyEval_SaveThread"), ("restore", "PyEval_RestoreThread"))
    }
    if executable.interleaved is not None:
        # It gives the interpreter's lock up itself.
        free, refusal = {}, len(table) - 1
    else:
        refusal = len(executable.inputs) + len(executable.outputs) if executable.checked else 0
    return {
        "refusal": refusal,
        "run": executable.entry,
        "table": int(table.ctypes.data),
        **free,
    }


class _Source:
    """Lines of a function, and the names that they use."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {}

    def line(self, text: str, depth: int = 1) -> None:
        self.lines.append("    " * depth + text)

    def name(self, prefix: str, value: Any) -> str:
        """Return a name for a value that the function uses."""
        name = f"{prefix}{len(self.names)}"
        self.names[name] = value
        return name

    def unless(self, condition: str) -> None:
        """Give up where a condition fails."""
        self.line(f"if not ({condition}): return MISS")

    def function(self, head: str) -> Callable[..., Any]:
        """Return the function. Its file's name puts it inside this package, for those who look for the user's
        line.
        """
        text = "\n".join([f"def {head}:", *self.lines])
        code = compile(text, f"{blame.PACKAGE}compiler{blame.PACKAGE[-1]}<shortcut>", "exec")
        space: dict[str, Any] = {**self.names, "MISS": MISS}
        exec(code, space)
        found: Callable[..., Any] = space[head.partition("(")[0]]
        found.__doc__ = text
        return found


def _prepare(source: _Source, executable: Executable, spec: native_call.Specification) -> None:
    """Name what the functions of forward and backward share, and have threads ready."""
    source.names |= {
        "native": spec.call(), "keep": (spec, executable), "type": type, "int": int, "turn": executable.turn,
    }  # fmt: skip
    if executable.interleaved is not None:
        source.names["lapse"] = executable.interleaved.lapse
    if executable.pool is not None:
        source.names["prepare"] = executable.pool.prepare
        source.line("prepare()")


def forward(
    captured: Captured, executable: Executable, leaves: Sequence[Any], spec: TreeSpec,
    tensors: Sequence[Any], mode: Any, pull: Callable[..., Any],
) -> Callable[..., Any] | None:
    """Return the function of ``(args, kwargs)`` that does a call.

    Parameters
    ----------
    leaves, spec
        Of the arguments at the trace.
    tensors
        Those of the cells.
    pull
        The pullback, as a node takes it.

    Returns
    -------
    callable or None
        None where a part of the call needs Python.
    """
    if not native_call.is_there() or not executable.entry:
        return None
    if captured.alike:
        return None
    # Of containers it compares what they hold.
    nested = any(not child.is_leaf() for both in spec.children_specs for child in both.children_specs)
    if captured.changed and nested:
        return None
    if any(type(function) is WarnAgain for function, _ in captured.effects):
        return None
    # Native code may write over what is there before a number is worked out, which may fail or be another.
    changes = captured.writes or captured.grads or captured.new_leaves or executable.generators
    if changes and (captured.late or any(map(_may_fail, captured.results))):
        return None
    # Native code compares tensors with ones in C order.
    if not all(t._value.flags.c_contiguous for t in tensors):
        return None
    return _Forward(captured, executable, leaves, spec, tensors, mode, pull).written()


def _is_early(result: Any) -> bool:
    """Return whether a result is a number that is worked out before the program runs."""
    return result.kind == "number" and comes_before(result.at[0])


def _may_fail(result: Any) -> bool:
    """Return whether a result is a number that cannot always be worked out when the program has run."""
    value = result.at[0] if result.kind == "number" else None
    return isinstance(value, Applied) and not comes_before(value)


class _Forward:
    def __init__(
        self, captured: Captured, executable: Executable, leaves: Sequence[Any],
        spec: TreeSpec, tensors: Sequence[Any], mode: Any, pull: Callable[..., Any],
    ) -> None:  # fmt: skip
        self.captured = captured
        self.executable = executable
        self.leaves = leaves
        self.spec = spec
        self.tensors = tensors
        self.mode = mode
        self.pull = pull
        self.source = _Source()

    def written(self) -> Callable[..., Any] | None:
        """Write the function."""
        source = self.source
        source.names |= {"modes": modes, "mode": self.mode}
        source.unless("modes() is mode" if self.mode in (DEFAULT, NO_GRAD) else "modes() == mode")
        self.expressions: list[str] = []
        #: The arguments' containers, as `taken_apart` gives them, and whether each can be changed.
        self.containers: list[tuple[str, bool]] = []
        if not self._arguments(self.spec, "both"):
            return None
        self._constants()
        self._numbers()
        self._cells()
        self._run()
        self._effects()
        self._results()
        return source.function("shortcut(args, kwargs)")

    def _arguments(self, spec: TreeSpec, expression: str) -> bool:
        """Take the arguments apart as the trace found them put together."""
        source = self.source
        if spec.type is None:
            self.expressions.append(expression)
            return True
        children = spec.children_specs
        if expression == "both":
            return self._arguments(children[0], "args") and self._arguments(children[1], "kwargs")
        if expression not in ("args", "kwargs"):
            name = f"c{len(source.lines)}"
            source.line(f"{name} = {expression}")
            expression = name
        self.containers.append((expression, spec.type is not tuple))
        if spec.type is dict:
            keys = list(spec.context)
            if not keys:
                source.unless(f"not {expression}" if expression == "kwargs" else f"{expression} == {{}}")
                return True
            if not all(isinstance(key, str) for key in keys):
                return False
            source.unless(f"type({expression}) is dict and [*{expression}] == {keys!r}")
            return all(
                self._arguments(child, f"{expression}[{key!r}]")
                for key, child in zip(keys, children, strict=True)
            )
        if spec.type not in (tuple, list):
            return False
        kind = "" if expression == "args" else f"type({expression}) is {spec.type.__name__} and "
        source.unless(f"{kind}len({expression}) == {len(children)}")
        return all(self._arguments(child, f"{expression}[{n}]") for n, child in enumerate(children))

    def _constants(self) -> None:
        """Compare the arguments that are no tensors."""
        source = self.source
        for n, (leaf, expression) in enumerate(zip(self.leaves, self.expressions, strict=True)):
            if isinstance(leaf, TensorBase):
                continue
            if n in self.captured.varying:
                source.unless(f"type({expression}) is {source.name('kind', type(leaf))}")
                continue
            name = source.name("k", leaf)
            if type(leaf) in SCALARS:
                kind = source.name("kind", type(leaf))
                equal = f"type({expression}) is {kind} and {expression} == {name}"
                if type(leaf) in (float, complex):
                    source.names["is_same"] = is_same
                    equal = f"is_same({expression}, {name})"
                source.unless(f"{expression} is {name} or {equal}")
            else:
                source.unless(f"{expression} is {name}")

    def _numbers(self) -> None:
        """Put the numbers that are others in each call where expressions of them are worked out."""
        source, varying = self.source, sorted(self.captured.varying)
        if varying:
            source.names["numbers"] = self.captured.numbers
            pairs = ", ".join(f"{n}: {self.expressions[n]}" for n in varying)
            source.line(f"numbers.values = {{{pairs}}}")
        for n, result in enumerate(self.captured.results):
            if _is_early(result):
                source.line("try:")
                source.line(f"n{n} = {source.name('how', result.tensor)}((), ())", 2)
                source.line("except Exception:")
                source.line("return MISS", 2)
        if self.captured.changes_given:
            changed = [f"id({name})" for name, can_change in self.containers if can_change]
            source.names["read"] = {id(guard.container) for guard in self.captured.guards}
            source.line(f"changed = {self._tuple(changed)}")
            source.unless(f"len({{*changed}}) == {len(changed)} and read.isdisjoint(changed)")

    def _cells(self) -> None:
        """Say where each cell's tensor is, and what native code is to find there."""
        captured, source = self.captured, self.source
        keep: list[Any] = [*self.leaves, *self.tensors]
        places: list[tuple[int, int]] = []
        unique: dict[int, int] = {}
        flat = all(e == f"args[{n}]" for n, e in enumerate(self.expressions))
        expressions = [
            (n, t, e) for n, (t, e) in enumerate(zip(self.leaves, self.expressions, strict=True))
            if isinstance(t, TensorBase)
        ]  # fmt: skip
        argument: list[tuple[int, str]] = []
        for item, (n, t, e) in enumerate(expressions):
            first = unique.setdefault(id(t), len(unique))
            place = n if flat else item
            places.append((place, first))
            if first == len(argument):
                argument.append((place, e))
        self.items = "args" if flat else self._tuple(e for _, _, e in expressions)
        written = {at for at, _ in captured.writes}
        records: list[int] = []
        extras: list[str] = []
        self.cells: list[str] = []
        waiting: list[int] = []
        for n, (cell, t) in enumerate(zip(captured.cells, self.tensors, strict=True)):
            if cell.kind == "argument":
                kind, (place, expression) = words.ARGUMENT, argument[cell.where]
            elif cell.kind == "fixed":
                kind, place, expression = words.FIXED, id(t), source.name("t", t)
            else:
                kind, place, expression = words.EXTRA, len(extras), f"g{n}"
                extras.append(expression)
                if cell.kind == "grad":
                    waiting.append(n)
                else:
                    how = source.name("found", cell.where.tensor if cell.kind == "number" else cell.now)
                    source.line(f"{expression} = {how}()")
                    source.unless(f"{expression} is not None")
            self.cells.append(expression)
            node = id(None) if t._node is None else id(LEAF) if t._node is LEAF else words.INNER_NODE
            if cell.kind in ("grad", "number"):
                node = words.ANY_NODE
            records += tensor_record(kind, place, t, node, n in written, keep)
        for n in waiting:
            source.line(f"{self.cells[n]} = {self.cells[captured.cells[n].where]}._grad")
        if any(cell.kind == "place" for cell in captured.cells):
            # What stands in a place is none of the others.
            found = [self.cells[n] for n, cell in enumerate(captured.cells) if cell.kind != "fixed"]
            source.names["known"] = {id(t) for c, t in zip(captured.cells, self.tensors) if c.kind == "fixed"}
            source.line(f"found = {{{', '.join(f'id({name})' for name in found)}}}")
            source.unless(f"len(found) == {len(found)} and known.isdisjoint(found)")
        with_grad = {captured.cells[n].where for n in waiting}
        for at in captured.grad_absent:
            source.unless(f"{self.cells[at]}._grad is None")
        for at in set(captured.grad_present) - with_grad:
            source.unless(f"{self.cells[at]}._grad is not None")
        self.extras = self._tuple(extras)
        cells = list(enumerate(zip(captured.cells, self.tensors, strict=True), start=1))
        fixed = [id(t) for t in captured.met]
        keep += captured.met
        # What is written must not lie in the memory of anything else that the program is given.
        sizes = [t._value.nbytes for t in self.tensors]
        self.places = Places(
            [(slot, sizes[slot - 1], slot - 1 in written) for slot, (c, _) in cells if c.kind == "fixed"]
        )
        # What lies elsewhere in each call may come to lie in what does not, too.
        loose = any(captured.cells[at].kind != "fixed" for at in written)
        others = [
            (slot, sizes[slot - 1]) for slot, (c, _) in cells
            if written and (c.kind != "fixed" or (loose and slot - 1 not in written))
        ]  # fmt: skip
        self.parts = {
            "cells": len(captured.cells), "cells_at": records, "arguments": len(places),
            "arguments_at": [word for pair in places for word in pair], "fixed": len(fixed),
            "fixed_at": fixed, **self.places.parts(), "written": len(written),
            "written_at": [word for at in sorted(written) for word in (1 + at, sizes[at])],
            "others": len(others), "others_at": [word for pair in others for word in pair],
        }  # fmt: skip
        source.names["keep_cells"] = keep
        # What backward inside the function leaves on a leaf goes through its hooks in eager code.
        bare = [
            f"{self.cells[at]}._leaf_hooks is None" for at in captured.accumulated
            if at not in captured.reduced
        ]  # fmt: skip
        for at, hooks in captured.reduced.items():
            name = source.name("hooks", hooks)
            source.unless(f"{self.cells[at]}._leaf_hooks is {name} and {name}.has_one_after()")
        if len(bare) == 1 or any(captured.cells[at].kind != "fixed" for at in captured.accumulated):
            for condition in bare:
                source.unless(condition)
        elif bare:
            # Ten leaves take 0.2 µs to ask.
            source.names |= {"hooked": leaves_hooked, "seen": [None]}
            source.line("if hooked[0] is not seen[0]:")
            source.line(f"if not ({' and '.join(bare)}): return MISS", 2)
            source.line("seen[0] = hooked[0]", 2)

    def _tuple(self, expressions: Any) -> str:
        inside = ", ".join(expressions)
        return f"({inside},)" if inside else "()"

    def _run(self) -> None:
        """Make the outputs and call native code."""
        captured, source, executable = self.captured, self.source, self.executable
        where = layout()
        assert where is not None
        # A table of its own: calls that go the long way write to the executable's.
        table = executable.table.copy()
        watch = Watch(self.captured.guards, where)
        first = 1 + len(executable.program.inputs)
        written = {position for _, position in captured.writes}
        copies: list[int] = []
        scratch: list[Any] = []
        outputs = executable.outputs
        shared: list[int] = []
        for at, position in captured.writes:
            buffer = outputs[position]
            # Where nothing can go wrong any more, a new value may be written over the old one at once.
            if (at, position) in executable.shared:
                shared += [1 + at, first + position]
                continue
            array = np.empty(buffer.shape, buffer.dtype)
            scratch.append(array)
            table[first + position] = array.ctypes.data
            copies += [first + position, 1 + at, array.nbytes]
        tensors = {position: id(None) for _, position in captured.grads}
        tensors |= {
            new.output: id(LEAF) if new.leaf else id(None)
            for new in captured.made if new.output is not None and new.placement is None
        }  # fmt: skip
        made: list[str] = []
        records: list[int] = []
        for position, buffer in enumerate(outputs):
            if position not in written:
                node = tensors.get(position, native_results.BARE)
                records += result_record(buffer, first + position, node, scratch)
                made.append(f"o{position}")
        spec = native_call.Specification(
            **_runs(executable, table), **watch.parts(), **self.parts, made=len(made), made_at=records,
            shared=len(shared) // 2, shared_at=shared, copies=len(copies) // 3, copies_at=copies,
        )
        self.places.table = table
        source.names |= {"scratch": (scratch, table), "watch": watch, "places": self.places}
        if watch.slow:
            source.names["slow"] = watch.slow
            source.unless("all([bond.holds() for bond in slow])")
        _prepare(source, executable, spec)
        source.line(f"items, extras = {self.items}, {self.extras}")
        # A `with` takes and frees the lock whenever an interrupt comes.
        source.line("with turn:")
        source.line("outs = native(items, extras)", 2)
        source.line("while type(outs) is int:", 2)
        if executable.interleaved is not None:
            source.line(f"if outs == {words.REFUSED}: lapse()", 3)
        source.line(f"if outs < {words.MOVED}: return MISS", 3)
        source.line(f"if outs == {words.MOVED}:", 3)
        source.line("if not places.are_apart(): return MISS", 4)
        source.line(f"elif not watch.still_holds(outs - {words.WATCHED}): return MISS", 3)
        source.line("outs = native(items, extras)", 3)
        if made:
            source.line(f"{self._tuple(made)} = outs")
        for at in captured.new_leaves:
            source.line(f"{self.cells[at]}.requires_grad_()")

    def _effects(self) -> None:
        """Count writes, put gradients in place."""
        captured, source = self.captured, self.source
        if captured.writes or self._is_spent():
            source.names |= {"frame_at": sys._getframe, "user_frame": blame.user_frame}
            source.line("frame = user_frame(frame_at(1))")
        if captured.writes:
            # A counter that stands there twice counts two writes.
            counters = self._tuple(
                f"{self.cells[at]}._counter"
                for (at, _), times in zip(captured.writes, captured.counts, strict=True)
                for _ in range(times if times <= _FEW else 1)
            )
            source.names |= {
                "count": native_call.count(), "written": blame.written, "next_sequence": blame.next_sequence,
            }  # fmt: skip
            source.line(f"counters = {counters}")
            source.line("if not count(counters, frame.f_code, frame.f_lasti, next_sequence()):")
            source.line("written(*counters)", 2)
            for (at, _), times in zip(captured.writes, captured.counts, strict=True):
                if times > _FEW:
                    source.names["written_again"] = blame.written_again
                    source.line(f"written_again({self.cells[at]}._counter, {times - 1})")
        for at, position in captured.grads:
            source.line(f"{self.cells[at]}._grad = {'None' if position is None else f'o{position}'}")

    def _is_spent(self) -> bool:
        """Return whether all results with a history were pulled back by the function, and end at fixed
        leaves: the edges to these are not needed before they are asked for.
        """
        captured = self.captured
        pulled = [(captured.cells[at], self.tensors[at]) for at, _ in captured.pulled]
        return (
            bool(captured.refused)
            and not captured.differentiable
            and all(is_freed_graph(error) for _, error in captured.refused)
            and all(c.kind == "fixed" and t._node is LEAF and t._view is None for c, t in pulled)
        )

    def _results(self) -> None:
        captured, source = self.captured, self.source
        if captured.differentiable or captured.refused:
            self._node()
        made: list[str] = []
        whole = {new.output for new in captured.made if new.placement is None}
        for n, new in enumerate(captured.made):
            name = f"o{new.output}"
            if new.placement is not None:
                name = f"m{n}"
                array = f"o{new.output}" + ("._value" if new.output in whole else "")
                if new.placement.cell is not None:
                    array = f"{self.cells[new.placement.cell]}._value"
                source.names |= {"wrap": wrap, "LEAF": LEAF, f"part{n}": new.placement.of}
                source.line(f"{name} = wrap(part{n}({array}), {'LEAF' if new.leaf else None})")
            if new.version is None:
                source.line(f"{name}._counter = {source.name('counter', new.counter)}()")
            elif new.version:
                source.line(f"{name}._counter[0] = {new.version}")
            if new.differentiable is not None:
                source.line(f"{name}._node = edge(Output, (node, {new.differentiable}))")
            elif new.refused is not None:
                given = "leaves, frame" if self._is_spent() else "edges"
                source.line(f"{name}._node = edge(Output, (refusal{new.refused}({given}), 0))")
            made.append(name)
        values: list[str] = []
        expected = dict(captured.late)
        again = {result.at for result in captured.results if result.kind == "again"}
        for n, result in enumerate(captured.results):
            if result.kind == "again":
                values.append(values[result.at])
            elif result.kind == "cell":
                values.append(self.cells[result.at])
            elif result.kind == "made":
                values.append(made[result.at])
            elif result.kind == "container":
                values.append(self.containers[result.at.place][0])
            elif result.kind == "value":
                values.append(source.name("v", result.at))
            else:
                how = source.name("how", result.tensor)
                call = f"{how}({self._tuple(self.cells)}, {self._tuple(made)})"
                if _is_early(result):
                    call = f"n{n}"
                elif result.kind == "number":
                    # Before an effect changes the place that it is read from.
                    if _may_fail(result):
                        source.line("try:")
                        source.line(f"n{n} = {call}", 2)
                        source.line("except Exception:")
                        source.line("return MISS", 2)
                    else:
                        source.line(f"n{n} = {call}")
                    call = f"n{n}"
                elif n in again:
                    source.line(f"n{n} = {call}")
                    call = f"n{n}"
                values.append(call)
            if n in expected:
                source.names["is_same"] = is_same
                source.unless(f"is_same({values[n]}, {source.name('expected', expected[n])})")
        if captured.differentiable and captured.pullback is not None:
            saved = [self._saved(entry, made) for entry in captured.saved]
            source.line(f"node._saved = {self._tuple(saved)}")
        remaining = iter(values)
        source.line(f"answer = {self._structure(captured.structure, remaining)}")
        for function, structure in captured.effects:
            name = source.name("effect", function)
            source.line(f"{name}(*{self._structure(structure, remaining)})")
        source.line("return answer")

    def _node(self) -> None:
        captured, source = self.captured, self.source
        source.names |= {
            "boundary": boundary, "edge_of": edge_of, "Output": Output,
            "shapes": tuple(shape for shape, _ in captured.differentiable),
            "dtypes": tuple(dtype for _, dtype in captured.differentiable),
            "pull": self.pull, "positions": tuple(position for _, position in captured.pulled),
        }  # fmt: skip
        # What the class of a named tuple does in Python takes longer than all else about an edge.
        source.names["edge"] = tuple.__new__
        lazy = self._is_spent()
        for k, (kind, error) in enumerate(captured.refused):
            source.names[f"refusal{k}"] = (
                spent(*kind, len(captured.pulled)) if lazy else refusal(*kind, error)
            )
        if lazy:
            source.names["leaves"] = tuple(self.tensors[at] for at, _ in captured.pulled)
            return
        edges = self._tuple(f"edge_of({self.cells[at]})" for at, _ in captured.pulled)
        source.line(f"edges = {edges}")
        if captured.differentiable:
            source.line("node = boundary(edges, (), shapes, dtypes, pull, positions)")

    def _saved(self, saved: Any, made: Sequence[str]) -> str:
        if saved.made is not None and self.captured.made[saved.made].placement is not None:
            t = made[saved.made]
            return f"(o{saved.output}, {t}._counter, {t}._counter[0])"
        if saved.cell is not None or saved.made is not None:
            t = self.cells[saved.cell] if saved.cell is not None else made[saved.made]
            return f"({t}._value, {t}._counter, {t}._counter[0])"
        return f"(o{saved.output}, None, 0)"

    def _structure(self, spec: TreeSpec, values: Any) -> str:
        """Return the expression that puts results together as the function did."""
        if spec.type is None:
            return str(next(values))
        if spec.type in (tuple, list):
            parts = [self._structure(child, values) for child in spec.children_specs]
            return self._tuple(parts) if spec.type is tuple else f"[{', '.join(parts)}]"
        name = self.source.name("structure", spec)
        self.source.names["tree_unflatten"] = tree_unflatten
        leaves = ", ".join(str(next(values)) for _ in range(spec.num_leaves))
        return f"tree_unflatten([{leaves}], {name})"


def backward(executable: Executable, general: Callable[..., Any]) -> Callable[..., Any]:
    """Return the pullback as a node takes it: ``pull(saved arrays, covectors)``; `general` where native code
    alone does not do.
    """
    if not native_call.is_there() or not executable.entry:
        return general
    source = _Source()
    keep: list[Any] = []
    records: list[int] = []
    for n, buffer in enumerate(executable.inputs):
        records += array_record(n, buffer.shape, buffer.dtype, keep)
    made: list[int] = []
    for n, buffer in enumerate(executable.outputs):
        made += result_record(buffer, 1 + len(executable.inputs) + n, native_results.BARE, keep)
    table = executable.table.copy()
    spec = native_call.Specification(
        **_runs(executable, table), cells=len(executable.inputs), cells_at=records,
        made=len(executable.outputs), made_at=made,
    )  # fmt: skip
    source.names |= {"general": general, "keep_arrays": (keep, table)}
    source.line("items = (*saved, *covectors)")
    _prepare(source, executable, spec)
    source.line("with turn:")
    source.line("outs = native(items, ())", 2)
    if executable.interleaved is not None:
        source.line(f"if type(outs) is int and outs == {words.REFUSED}: lapse()")
    source.line("return general(saved, covectors) if type(outs) is int else outs")
    return source.function("pull(saved, covectors)")
