"""The short way through a call: a Python function written for one specialisation.

It calls native code once, which makes the results, checks the guards and runs the program, and puts the
results in their places; there is no loop in it, and nothing that native code could do. Where anything is not
as at the trace it does nothing and says so (`MISS`), and the call goes the long way (`compiled`).
"""

from __future__ import annotations

import ctypes
import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...core import blame
from ...core.accumulation import conforming
from ...core.modes import DEFAULT, NO_GRAD, modes
from ...core.node import LEAF
from ...core.overlap import takes_writes
from ...core.value import TensorBase, wrap
from ...core.versions import NoVersions
from ...tensor.tree import TreeSpec
from ..frontend.captured import Captured
from ..frontend.state.arguments import Again, Context, has_attributes, is_record, mapping_of, slots_of
from ..frontend.state.deferred import GivenArray
from ..frontend.state.guards import ABSENT, SCALARS, dict_of, is_same, slot_of
from ..frontend.state.recorded_warnings import WarnAgain
from . import native_call, native_results
from . import native_specification as words
from .executable import Executable
from .guards import Watch, array_record, result_record
from .object_layout import layout
from .specialised_cells import Cells
from .specialised_results import Results, is_early, may_fail
from .specialised_source import Source, tuple_text

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
    return {"refusal": refusal, "run": executable.entry, "table": int(table.ctypes.data), **free}


def _prepare(source: Source, executable: Executable, spec: native_call.Specification) -> None:
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
    tensors: Sequence[Any], mode: object, pull: Callable[..., Any],
) -> Callable[..., Any] | None:
    """Return the function of ``(args, kwargs)`` that does a call, None where a part of it needs Python.

    `leaves` and `spec` are of the arguments at the trace, `tensors` those of the cells; `pull` is the
    pullback, as a node takes it.
    """
    if not native_call.is_there() or not executable.entry:
        return None
    if captured.alike:
        return None
    if any(type(function) is WarnAgain for function, _ in captured.effects):
        return None
    # Native code may write over what is there before a number is worked out, which may fail or be another.
    changes = captured.writes or captured.grads or captured.new_leaves or executable.generators
    if changes and (captured.late or any(map(may_fail, captured.results))):
        return None
    if not all(takes_writes(tensors[at]._value) for at, _ in captured.writes):
        return None
    return _Forward(captured, executable, leaves, spec, tensors, mode, pull).written()


def _is_plain_key(key: object) -> bool:
    """Return whether a key's text makes it again: a text, a whole number, or a tuple of such."""
    return type(key) in (str, int) or (type(key) is tuple and all(map(_is_plain_key, key)))


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
        self.source = Source()

    def written(self) -> Callable[..., Any] | None:
        """Write the function."""
        source = self.source
        source.names |= {"modes": modes, "mode": self.mode}
        source.unless("modes() is mode" if self.mode in (DEFAULT, NO_GRAD) else "modes() == mode")
        self.expressions: list[str] = []
        #: The arguments' containers, as `taken_apart` gives them, and whether each can be changed.
        self.containers: list[tuple[str, bool]] = []
        #: The identities of the objects that are told by what they hold, by class.
        self.records: dict[type, list[str]] = {}
        if not self._arguments(self.spec, "both"):
            return None
        self._constants()
        self._numbers()
        self.cells = Cells(self.captured, source, self.leaves, self.expressions, self.tensors)
        self.results = Results(
            self.captured, source, self.cells.texts, self.tensors, self.containers, self.pull
        )
        self._run()
        self._effects()
        self.results.write()
        return source.function("shortcut(args, kwargs)")

    def _arguments(self, spec: TreeSpec, expression: str) -> bool:
        """Take the arguments apart as the trace found them put together."""
        source = self.source
        if spec.type is None:
            if self.captured.changes_given:
                # Once an effect has changed its container, something else is there.
                source.line(f"a{len(source.lines)} = {expression}")
                expression = f"a{len(source.lines) - 1}"
            self.expressions.append(expression)
            return True
        children = spec.children_specs
        if expression == "both":
            return self._arguments(children[0], "args") and self._arguments(children[1], "kwargs")
        if spec.type is Again:
            source.unless(f"{expression} is {self.containers[spec.context][0]}")
            return True
        if expression not in ("args", "kwargs"):
            name = f"c{len(source.lines)}"
            source.line(f"{name} = {expression}")
            expression = name
        self.containers.append((expression, spec.type is not tuple))
        if spec.type in (dict, OrderedDict, defaultdict):
            return self._mapping(spec, expression)
        if is_record(spec.type):
            return self._record(spec, expression)
        return self._sequence(spec, expression)

    def _sequence(self, spec: TreeSpec, expression: str) -> bool:
        """Take a list, tuple or deque apart."""
        source, kind, children = self.source, spec.type, list(spec.children_specs)
        assert kind is not None
        attributes = children.pop() if has_attributes(kind) else None
        length, item = f"len({expression})", f"{expression}[{{}}]"
        if kind not in (tuple, list, deque):
            # A derived class may have items of its own.
            source.names |= {"length_of": tuple.__len__, "item_of": tuple.__getitem__}
            length, item = f"length_of({expression})", f"item_of({expression}, {{}})"
        known = "" if expression == "args" else f"type({expression}) is {source.name('kind', kind)} and "
        source.unless(f"{known}{length} == {len(children)}")
        if kind is deque:
            source.unless(f"{expression}.maxlen == {spec.context[0]!r}")
        source.names["dict_of"] = dict_of
        return all(self._arguments(child, item.format(n)) for n, child in enumerate(children)) and (
            attributes is None or self._arguments(attributes, f"dict_of({expression}, None)")
        )

    def _record(self, spec: TreeSpec, expression: str) -> bool:
        """Take an object apart that is told by what it holds."""
        source = self.source
        kind: Any = spec.type
        if issubclass(kind, list):
            return False
        source.names |= {"dict_of": dict_of, "slot_of": slot_of, "ABSENT": ABSENT}
        source.unless(f"type({expression}) is {source.name('kind', kind)}")
        same = self.records.setdefault(kind, [])
        same.append(f"id({expression})")
        if len(same) > 1:
            source.unless(f"{same[-1]} not in {tuple_text(same[:-1])}")
        children, filled = iter(spec.children_specs), list(spec.context)
        for slot in slots_of(kind):
            value = f"slot_of({expression}, {source.name('slot', slot)})"
            if slot not in filled:
                source.unless(f"{value} is ABSENT")
            elif not self._arguments(next(children), value):
                return False
            else:
                filled.remove(slot)
        if issubclass(kind, dict):
            source.names["item_of_dict"] = dict.__getitem__
            keys_of = source.name("keys_of", mapping_of(kind).__iter__)
            item = f"item_of_dict({expression}, {{}})"
            if not self._items(filled, f"[*{keys_of}({expression})]", children, item):
                return False
        return all(self._arguments(child, f"dict_of({expression}, None)") for child in children)

    def _mapping(self, spec: TreeSpec, expression: str) -> bool:
        """Take a dict apart."""
        source, kind, keys = self.source, spec.type, list(spec.context)
        if kind is defaultdict:
            source.unless(f"{expression}.default_factory is {source.name('factory', keys.pop())}")
        if not keys and kind is dict:
            source.unless(f"not {expression}" if expression == "kwargs" else f"{expression} == {{}}")
            return True
        source.unless(f"type({expression}) is {source.name('kind', kind)}")
        return self._items(keys, f"[*{expression}]", iter(spec.children_specs), f"{expression}[{{}}]")

    def _items(self, keys: list[Any], found: str, children: Iterator[TreeSpec], item: str) -> bool:
        """Compare keys with those that an expression finds, and take apart what there is under each."""
        if not all(map(_is_plain_key, keys)):
            return False
        # The context tells 1 from True.
        texts = all(type(key) is str for key in keys)
        expected = repr(keys) if texts else self.source.name("keys", Context(keys))
        self.source.unless(f"{expected} == {found}")
        return all(self._arguments(next(children), item.format(repr(key))) for key in keys)

    def _constants(self) -> None:
        """Compare the arguments that are no tensors."""
        source = self.source
        for n, (leaf, expression) in enumerate(zip(self.leaves, self.expressions, strict=True)):
            if isinstance(leaf, TensorBase):
                continue
            if n in self.captured.varying and GivenArray.fits(leaf):
                source.names["kind_of"] = GivenArray.kind_of
                source.unless(f"kind_of({expression}) == {source.name('kind', GivenArray.kind_of(leaf))}")
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
            if is_early(result):
                source.attempt(f"n{n} = {source.name('how', result.tensor)}((), ())")
        within = [f"id({name})" for name, _ in self.containers if name not in ("args", "kwargs")]
        if self.captured.elsewhere and within:
            # Of containers it compares what they hold.
            source.names["elsewhere"] = frozenset(self.captured.elsewhere)
            source.unless(f"elsewhere.isdisjoint({tuple_text(within)})")
        if self.captured.changes_given:
            changed = [f"id({name})" for name, can_change in self.containers if can_change]
            source.names["read"] = {id(guard.container) for guard in self.captured.guards}
            source.line(f"changed = {tuple_text(changed)}")
            source.unless(f"len({{*changed}}) == {len(changed)} and read.isdisjoint(changed)")

    def _run(self) -> None:
        """Make the outputs and call native code."""
        captured, source, executable = self.captured, self.source, self.executable
        where = layout()
        assert where is not None
        # A table of its own: calls that go the long way write to the executable's.
        table = executable.table.copy()
        watch = Watch(self.captured.guards, where)
        scratch: list[Any] = []
        made, parts = self._outputs(table, scratch)
        spec = native_call.Specification(
            **_runs(executable, table), **watch.parts(), **self.cells.parts, **parts
        )
        self.cells.places.table = table
        source.names |= {"scratch": (scratch, table), "watch": watch, "places": self.cells.places}
        if watch.slow:
            source.names["slow"] = watch.slow
            source.unless("all([bond.holds() for bond in slow])")
        _prepare(source, executable, spec)
        source.line(f"items, extras = {self.cells.items}, {self.cells.extras}")
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
            source.line(f"{tuple_text(made)} = outs")
        for at in captured.new_leaves:
            source.line(f"{self.cells.texts[at]}.requires_grad_()")

    def _outputs(self, table: np.ndarray[Any, Any], scratch: list[Any]) -> tuple[list[str], dict[str, Any]]:
        """Return the names of the results, and the fields that say what is made and what is written over.

        `table` gets the addresses of memory for what is copied to where it is to be, `scratch` that memory,
        and what records of results point to.
        """
        captured, executable = self.captured, self.executable
        first, outputs = 1 + len(executable.program.inputs), executable.outputs
        copies: list[int] = []
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
        tensors = {position: id(None) for _, position, _ in captured.grads}
        tensors |= {
            new.output: id(LEAF) if new.leaf else id(None)
            for new in captured.made if new.output is not None and new.placement is None
        }  # fmt: skip
        written = {position for _, position in captured.writes}
        made: list[str] = []
        records: list[int] = []
        for position, buffer in enumerate(outputs):
            if position not in written:
                node = tensors.get(position, native_results.BARE)
                records += result_record(buffer, first + position, node, scratch)
                made.append(f"o{position}")
        return made, {
            "made": len(made), "made_at": records, "shared": len(shared) // 2, "shared_at": shared,
            "copies": len(copies) // 3, "copies_at": copies,
        }  # fmt: skip

    def _effects(self) -> None:
        """Count writes, put gradients in place."""
        captured, source = self.captured, self.source
        if captured.writes or self.results.is_spent:
            source.names |= {"frame_at": sys._getframe, "user_frame": blame.user_frame}
            source.line("frame = user_frame(frame_at(1))")
        if captured.writes:
            # A counter that stands there twice counts two writes.
            counters = tuple_text(
                f"{self.cells.texts[at]}._counter"
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
                    source.line(f"written_again({self.cells.texts[at]}._counter, {times - 1})")
        for at, position, version in captured.grads:
            whose, name = self.cells.texts[at], "None" if position is None else f"o{position}"
            if position is not None and not self.tensors[at]._value.flags.c_contiguous:
                source.names |= {"wrap": wrap, "conforming": conforming}
                source.line(f"d{position} = wrap(conforming({name}._value, {whose}._value))")
                name = f"d{position}"
            if version is None:
                source.names["NoVersions"] = NoVersions
                source.line(f"{name}._counter = NoVersions()")
            elif version:
                source.line(f"{name}._counter[0] = {version}")
            source.line(f"{whose}._grad = {name}")


def backward(executable: Executable, general: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``pull(saved arrays, covectors)`` of a node; `general` where native code does not do."""
    if not native_call.is_there() or not executable.entry:
        return general
    source = Source()
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
