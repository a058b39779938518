"""See what one trace does to Python's state: what it reads becomes guards, what it writes effects.

An object is *fresh* when the trace made it; every other is the user's. A read of the user's state is noted
once, unless the trace has written there before. A write is done at once, so that the trace sees it, is undone
when the trace ends, and is done again by each call after its program.
"""

from __future__ import annotations

import operator
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType, NoneType
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakSet

from ...core.blame import user_frame
from ...core.tracer import refuse_all
from ...core.value import TensorBase
from .deferred import Applied, Counter, Deferred, Number
from .guards import (
    ABSENT,
    Contents,
    Guard,
    cell_contents,
    class_dict,
    contents,
    dict_item,
    dict_keys,
    dict_length,
    dict_of,
    is_heap_type,
    kind_of,
    list_item,
    list_length,
    mro_of,
    native_attribute,
    slot_of,
    type_of,
    word_of_dict,
    word_of_field,
    word_of_type,
)
from .unsupported import OnlyNow, Unsupported

if TYPE_CHECKING:
    from .cells import Cells

#: The session whose trace runs in this thread.
current: ContextVar[Session] = ContextVar("pullback_frontend")


#: Packages whose custom functions read nothing of the user's.
_OURS = ("torch", "pullback")
#: Types of what code consists of, which seldom changes between a call and its backward.
_CODE = (
    type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, CodeType, staticmethod, classmethod,
    dict, tuple, NoneType, type(ABSENT),
)  # fmt: skip
#: Numbers of tensors that a program may depend on.
ASKED = 32
#: Sizes of one selection that are compiled before it is found to vary.
SIZES = 3
#: Types of keys that Python itself compares.
SIMPLE = frozenset({str, int, bool, type(None), float, bytes})


class Effect(NamedTuple):
    """``function(*args)``, which each call does after its program."""

    function: Callable[..., Any]
    args: tuple[Any, ...]


class Knowledge:
    """Keep what earlier traces of a function have found out.

    Attributes
    ----------
    places : dict
        Places that each call leaves another tensor in, by the container's identity and the key.
    counters : dict
        Places with a number that each call changes, or finds changed.
    fixed : dict
        Such places whose number decides what the function does, so that it is guarded all the same.
    phantoms : bool
        Whether traces have stand-ins for gradients that are absent.
    """

    def __init__(self) -> None:
        self.places: dict[Any, Guard] = {}
        self.counters: dict[Any, Guard] = {}
        self.fixed: dict[Any, Guard] = {}
        self.phantoms = True
        #: Whether numbers of tensors may decide what the function does.
        self.speculates = True
        #: Whether the last trace had options of optimizers that are numbers of the program.
        self.dials = False
        #: Arguments, by their places among the leaves, whose numbers decide what the function does.
        self.decisive: set[int] = set()
        #: How many elements selections had, by how many numbers a trace had asked for by then.
        self.sizes: dict[int, set[int]] = {}
        #: Whether a copy may stand for the view that a number of the call's selects.
        self.picks = True

    def settle(self, varying: Iterable[int]) -> bool:
        """Let all numbers be parts of the program, because code came upon one that needs it at once; whether
        there were others.
        """
        news = bool(self.counters) or not self.decisive.issuperset(varying)
        self.fixed |= self.counters
        self.counters.clear()
        self.decisive.update(varying)
        return news

    def changed(self, guards: Iterable[Guard]) -> None:
        """Note the places whose number is another one than at an earlier trace: it will change again."""
        for guard in guards:
            name = place_of(guard)
            # Others, as a number of arguments, are told by what a call gives.
            if name is None or type(guard.value) not in (int, float) or guard.holds():
                continue
            now = guard.read(guard.container, guard.key)
            if name not in self.fixed and type(now) is type(guard.value):
                self.counters.setdefault(name, Guard(guard.read, guard.container, guard.key, now, guard.word))


class Session:
    """The reads and writes of one trace.

    Parameters
    ----------
    cells : Cells
        The tensors that the trace comes upon.
    number_of : callable
        Returns the number of a traced tensor of one element, in the call that is traced.
    knowledge : Knowledge

    Attributes
    ----------
    guards : list of Guard
    effects : list of Effect
    places : list of Guard
        Places whose tensor is an input by its place.
    """

    def __init__(
        self, cells: Cells, number_of: Callable[[Any], Any], knowledge: Knowledge, first: Any,
        turning: frozenset[str],
    ) -> None:  # fmt: skip
        self.cells = cells
        self.number_of = number_of
        #: Why the trace comes to nothing, also where the error was caught.
        self.refused: Exception | None = None
        self.first = first
        self.turning = turning
        self.dials: list[Any] = []
        #: Tensors that stand for numbers which each call works out, by the number and the dtype.
        self._numbers: dict[Any, Any] = {}
        #: Copies that stand for views, what they are of, and the versions of both.
        self.picked: list[tuple[Any, int, Any, int]] = []
        self.knowledge = knowledge
        self.guards: list[Guard] = []
        self.effects: list[Effect] = []
        self.places: dict[Any, Guard] = {}
        self.fresh: set[int] = set()
        #: The containers among the arguments, by identity.
        self.arguments: dict[int, Any] = {}
        #: Returns what stands for one of them among results; set when these are put together.
        self.given_container: Callable[[Any], Any]
        #: Whether one of them is changed.
        self.changes_given = False
        self.lookups: dict[Any, Any] = {}
        #: Containers that code which must not be looked at any more may have written to.
        self.tainted: dict[int, str] = {}
        #: What functions that are called after the program read (see `plain_functions`).
        self.read_later: list[tuple[Any, str]] = []
        self._noted: dict[Any, Guard] = {}
        self._keep: list[Any] = []
        self._undo: list[Callable[[], None]] = []
        self._written: dict[int, set[Any]] = {}
        self._entry: dict[int, Any] = {}
        #: Lists, and other containers, that were changed otherwise than by adding to them.
        self._cut: set[int] = set()
        #: What lists held before their first item was assigned to.
        self._begun: dict[int, list[Any]] = {}
        self._slots: set[Any] = set()
        self._there: dict[int, Any] = {}
        #: Deferred numbers that the function has asked for, and what they are.
        self.late: list[tuple[Deferred, Any]] = []
        #: Those that may turn out to be an error, which eager raises where they are worked out.
        self.may_raise: list[Deferred] = []
        #: The lines at which it has.
        self.asked: list[str] = []
        #: What places held before they were assigned to.
        self._held: dict[Any, Any] = {}
        #: Leaves whose gradients the program reduces over processes, by identity.
        self.reduced: dict[int, Any] = {}
        #: The reductions of which the function has done the forward part.
        self.passes: list[Any] = []
        self._passed: dict[int, Any] = {}
        #: Tensors whose gradients were looked for, by identity.
        self.asked_grads: set[int] = set()
        #: Custom functions that were applied.
        self.functions: dict[type, None] = {}
        #: Dicts of the user's with keys that no code of the user's compares.
        self._looked_into: dict[int, Any] = {}
        #: Tensors that the trace has made and set attributes on.
        self.tagged: list[Any] = []
        self._generators: WeakSet[Any] = WeakSet()
        #: Readings of clocks, in order, and what holds those of a call.
        self.clocks: list[Any] = []
        self.readings: Any = None
        #: Numbers drawn from generators that are no tensors', if there are any.
        self.draws: Any = None
        #: The tensors that have the memory of arrays that were drawn, and which part it is, by identity.
        self.arrays: dict[int, Any] = {}

    # --- refusing -------------------------------------------------------------------------------------------

    def refusal(self, why: str, kind: Callable[[str], Exception] = Unsupported) -> Exception:
        """Let the trace come to nothing; return the error that says why."""
        error = kind(f"{why} ({_user_line()})")
        if self.refused is None:
            self.refused = error
        refuse_all(error)
        return error

    def speculate(self, value: Deferred) -> Any:
        """Return a number as it is in this call; each call compares it before it changes anything."""
        if not self.knowledge.speculates or len(self.late) >= ASKED:
            raise self.refusal("the numbers of a traced tensor decide what happens next")
        found = value.present()
        self.late.append((value, found))
        self.asked.append(_user_line())
        return found

    def size(self, value: Deferred) -> int:
        """Return how many elements a selection has, in this call, as `speculate`."""
        found = int(self.speculate(value))
        known = self.knowledge.sizes.setdefault(len(self.late), set())
        known.add(found)
        if len(known) > SIZES:
            raise self.refusal("how many elements are selected is another number in each call")
        return found

    # --- numbers that are inputs ----------------------------------------------------------------------------

    def number(self, value: Deferred, dtype: Any) -> Any:
        """Return a tensor without axes that stands for a number which each call works out before its program
        runs; None where it cannot be one now.
        """
        key = (id(value), dtype)
        known = self._numbers.get(key)
        if known is None:
            made = Number(value, dtype)
            known = made.traced()
            if known is None:
                return None
            self._numbers[key] = known
            self._keep.append(value)
            self.cells.meet(known, made)
        return known

    def could_tell(self, results: Iterable[Any]) -> bool:
        """Return whether a copy that stands for a view (`number_inputs.item`) was used as only a view can be:
        it or what it was taken from was written to since, or it is a result.
        """
        counters = {id(t._counter) for t in results if isinstance(t, TensorBase)}
        return any(
            copy._counter[0] != own or source._counter[0] != version or id(copy._counter) in counters
            for copy, own, source, version in self.picked
        )

    # --- what the trace makes -------------------------------------------------------------------------------

    def dial(self, container: dict[str, Any], key: str, kind: Any) -> Any:
        """Make an option of an optimizer a number of the program; return what stands for it."""
        name = (id(container), "dial", key)
        known = self._noted.get(name)
        if known is None:
            self.knowledge.dials = True
            known = kind(container, key, container[key])
            self.note(known, name)
            self.dials.append(known)
            self.cells.meet(known.cell, None)
        return known

    def taint(self, container: Any, why: str) -> None:
        """Refuse, from now on, to look at a container: what it will hold is not known yet."""
        self.tainted[id(container)] = why
        self._keep.append(container)

    @contextmanager
    def untold(self, container: Any, why: str) -> Iterator[None]:
        """Refuse to look at a container for a while."""
        self.taint(container, why)
        yield
        del self.tainted[id(container)]

    def made(self, thing: Any) -> Any:
        """Note that the trace has made an object; return it."""
        # It lives as long as it does in eager: whatever has its address later is made by the trace, too, but
        # for what `not_made` is told of.
        self.fresh.add(id(thing))
        return thing

    def not_made(self, thing: Any) -> None:
        """Note that an object which appears only now is the user's, as the ``__dict__`` of an object is."""
        self.fresh.discard(id(thing))

    def generator(self, made: Any) -> None:
        """Note a generator that runs rewritten code."""
        self.fresh.add(id(made))
        self._generators.add(made)

    def close(self) -> None:
        """Close the generators that the function has left in the middle; what they do then is not known to
        come at the right moment.
        """
        for each in list(self._generators):
            if each.gi_frame is None or not each.gi_suspended:
                continue
            before = len(self.effects), len(self.guards)
            try:
                each.close()
            except Exception as error:  # noqa: BLE001  # whatever it is, eager will raise it
                self.refusal(f"a generator that is left in the middle raises {type(error).__name__}")
            if before != (len(self.effects), len(self.guards)):
                self.refusal("a generator is left in the middle")

    def is_fresh(self, thing: Any) -> bool:
        """Return whether the trace has made an object."""
        return id(thing) in self.fresh

    # --- reading --------------------------------------------------------------------------------------------

    def custom(self, cls: type) -> None:
        """Guard the methods of a custom function."""
        self.functions[cls] = None
        for name in ("forward", "setup_context", "backward", "vjp", "jvp", "vmap"):
            self.lookup(cls, name)

    @contextmanager
    def later(self) -> Iterator[list[Guard]]:
        """Trace what eager code does after the call, as the backward of custom functions.

        Yields
        ------
        list of Guard
            What is read then, known or not; it may be another thing by then.
        """
        before = self._noted, self.guards, self._written
        self._noted, self.guards, self._written = {}, [], {}
        self.lookups.clear()
        for cls in self.functions:
            self.custom(cls)
        counts = len(self.effects), len(self.late), len(self.may_raise)
        try:
            yield self.guards
            noted, reads = self._noted, self.guards
        finally:
            self._noted, self.guards, self._written = before
        # What is checkpointed reads again what the call has read.
        custom = any(cls.__module__.partition(".")[0] not in _OURS for cls in self.functions)
        again = () if custom else before[0]
        if counts != (len(self.effects), len(self.late), len(self.may_raise)):
            raise Unsupported("what backward does besides its numbers would be done by the call")
        if not all(isinstance(read.value, _CODE) or name in again for name, read in noted.items()):
            raise Unsupported("backward reads what may be another thing by then")
        self.guards += reads

    def seen(self, value: Any) -> Any:
        """Note a value that was read from the user's state, with what tuples in it hold; return it."""
        if isinstance(value, TensorBase):
            self.cells.meet(value, None)
            return value
        if id(value) in self.arguments and not isinstance(value, tuple):
            raise self.refusal("a container that the function is given is found elsewhere, too", OnlyNow)
        self._there[id(value)] = value
        if isinstance(value, (tuple, frozenset)):
            for part in value:
                self.seen(part)
        return value

    def told(self, thing: Any) -> None:
        """Guard which tensor stands in a place: something depends on its identity."""
        if isinstance(thing, TensorBase) and self.cells.is_cell(thing) and not self.cells.is_argument(thing):
            self.cells.meet(thing, None, told=True)

    def was_there(self, value: Any) -> bool:
        """Return whether an object was there before the trace: it was read from the user's state."""
        return id(value) in self._there

    def note(self, guard: Guard, name: Any) -> None:
        """Add a guard, once by its name."""
        if name not in self._noted:
            self._noted[name] = guard
            self.guards.append(guard)
            self._keep.append(guard.container)

    def check_taint(self, container: Any) -> None:
        """Refuse to look at what an effect that is done later will have changed."""
        why = self.tainted.get(id(container))
        if why is not None:
            raise self.refusal(why)

    def dict_item(self, container: dict[Any, Any], key: Any) -> Any:
        """Read an item of a dict; `ABSENT` where there is none."""
        name = id(container)
        if name in self.fresh:
            return dict.get(container, key, ABSENT)
        if name not in self._looked_into:
            self._look_into(container)
        value = dict.get(container, key, ABSENT)
        if self.tainted:
            self.check_taint(container)
        written = self._written.get(name)
        if written is not None and key in written:
            return value
        return self._read((name, "item", key), Guard(dict_item, container, key, value))

    def _look_into(self, container: dict[Any, Any]) -> None:
        """Refuse a dict whose keys the user's code compares."""
        from .iteration import is_hashed_plainly

        self._looked_into[id(container)] = container
        keys = [*dict.keys(container)]
        if not SIMPLE.issuperset(map(type, keys)) and not all(map(is_hashed_plainly, keys)):
            raise self.refusal("it looks into a dict with keys that have a comparison of their own")

    def _read(self, name: Any, guard: Guard) -> Any:
        """Note a guard of one place; return what the place holds, as the trace is to see it."""
        known = self._noted.get(name)
        if known is not None:
            return known.value if name not in self.places else self.seen_place(name)
        value = guard.value
        if name in self.knowledge.places and isinstance(value, TensorBase):
            self.places[name] = guard
            self._keep.append(guard.container)
            self._noted[name] = guard
            self.cells.meet(value, guard)
            return value
        if name in self.knowledge.counters and type(value) in (int, float):
            self._keep.append(guard.container)
            self.note(Guard(kind_of, guard, None, type(value)), (*name, "kind"))
            return Counter(self, name, guard)
        self._noted[name] = guard
        self.guards.append(guard)
        self._keep.append(guard.container)
        return self.seen(value)

    def seen_place(self, name: Any) -> Any:
        """Return the tensor of a place."""
        return self.places[name].value

    def fix(self, name: Any, guard: Guard) -> None:
        """Guard a counter's number: something depends on it."""
        self.knowledge.counters.pop(name, None)
        self.knowledge.fixed[name] = guard
        self.note(guard, name)

    def dict_keys(self, container: dict[Any, Any]) -> None:
        """Guard the keys of a dict and their order."""
        if self.tainted:
            self.check_taint(container)
        if id(container) not in self.fresh:
            held = self._entry.get(id(container), container)
            self.note(Contents(dict_keys, container, None, dict_keys(held)), (id(container), "keys"))

    def dict_length(self, container: dict[Any, Any]) -> None:
        """Guard the length of a dict."""
        if self.tainted:
            self.check_taint(container)
        if id(container) not in self.fresh:
            length = dict.__len__(self._entry.get(id(container), container))
            self.note(Guard(dict_length, container, None, length), (id(container), "length"))

    def whole_dict(self, container: dict[Any, Any]) -> None:
        """Guard everything that a dict holds."""
        self.dict_keys(container)
        if id(container) in self.fresh:
            return
        for key in dict_keys(container):
            self.seen(key)
            _fixed(self.dict_item(container, key))

    def whole(self, container: Any) -> None:
        """Guard everything that a list, tuple, dict, set or deque holds."""
        if id(container) in self.fresh or isinstance(container, (tuple, frozenset)):
            return
        if isinstance(container, dict):
            self.whole_dict(container)
        elif isinstance(container, list):
            self.list_length(container)
            for n in range(list.__len__(self._entry.get(id(container), container))):
                _fixed(self.list_item(container, n))
        else:
            held = contents(self._entry.get(id(container), container), None)
            self.note(Contents(contents, container, None, held), (id(container), "all"))
            for value in held:
                self.seen(value)

    def seen_key(self, container: dict[Any, Any], key: Any) -> None:
        """Note a key of a dict of the user's."""
        if id(container) not in self.fresh:
            self.seen(key)

    def was_read(self, container: Any) -> bool:
        """Return whether something depends on all that a container holds."""
        return (id(container), "all") in self._noted

    def note_native(self, thing: Any, name: str) -> None:
        """Guard an attribute that is read without any of the user's code."""
        if id(thing) not in self.fresh:
            value = native_attribute(thing, name)
            self.note(Guard(native_attribute, thing, name, value), (id(thing), "attribute", name))

    def was_written(self, container: dict[Any, Any], key: Any) -> bool:
        """Return whether the trace has assigned to a place."""
        return key in self._written.get(id(container), ())

    def passed(self, container: Any) -> None:
        """Guard everything that a container holds which code that is not rewritten is given."""
        if id(container) not in self.fresh:
            self._passed[id(container)] = container
            self.whole(container)

    def was_passed(self, container: Any) -> bool:
        """Return whether a container of the user's was given to code that is not rewritten."""
        return id(container) in self._passed

    def list_length(self, container: list[Any]) -> None:
        """Guard the length of a list."""
        if self.tainted:
            self.check_taint(container)
        if id(container) not in self.fresh:
            length = list.__len__(self._entry.get(id(container), container))
            self.note(Guard(list_length, container, None, length), (id(container), "length"))

    def length_of_list(self, container: list[Any]) -> Any:
        """Return the length of a list, a number of a later time where each call finds another one."""
        name = (id(container), "length")
        now = list.__len__(container)
        if name not in self.knowledge.counters or id(container) in {*self._cut, *self.tainted}:
            self.list_length(container)
            return now
        before = list.__len__(self._entry.get(id(container), container))
        self._keep.append(container)
        counter = Counter(self, name, Guard(list_length, container, None, before))
        return counter if now == before else Applied(self, int, operator.add, (counter, now - before))

    def list_item(self, container: list[Any], key: int) -> Any:
        """Read an item of a list by its number from the front."""
        if self.tainted:
            self.check_taint(container)
        if id(container) in self.fresh:
            return list.__getitem__(container, key)
        if key in self._written.get(id(container), ()):
            return list.__getitem__(container, key)
        if id(container) in self._entry:
            # What it holds now follows from what it held when the call began.
            held = self._entry[id(container)]
            self.note(Guard(list_length, container, None, len(held)), (id(container), "length"))
            for n, value in enumerate(held):
                self.note(Guard(list_item, container, n, value), (id(container), "item", n))
                self.seen(value)
            return list.__getitem__(container, key) if key < list.__len__(container) else None
        value = list.__getitem__(container, key)
        return self._read((id(container), "item", key), Guard(list_item, container, key, value))

    def cell(self, cell: CellType) -> Any:
        """Read a closure's cell; `ABSENT` where it is empty."""
        value = cell_contents(cell, None)
        if id(cell) in self.fresh or id(cell) in self._written:
            return value
        return self._read((id(cell), "cell"), Guard(cell_contents, cell, None, value, id(cell)))

    def typed(self, thing: Any) -> None:
        """Guard an object's type."""
        cls = type(thing)
        if (is_heap_type(cls) or cls is ModuleType) and id(thing) not in self.fresh:
            name = (id(thing), "type")
            if name not in self._noted:
                self.note(Guard(type_of, thing, None, cls, word_of_type(thing)), name)

    def dict_of(self, thing: Any) -> dict[str, Any] | None:
        """Return an object's ``__dict__``, with a guard that it is this one; None where it has none."""
        if not type(thing).__dictoffset__:
            return None
        held: dict[str, Any] = dict_of(thing, None)
        if id(thing) in self.fresh:
            self.made(held)
        else:
            name = (id(thing), "dict")
            if name not in self._noted:
                self.not_made(held)
                self.note(Guard(dict_of, thing, None, held, word_of_dict(thing, held)), name)
        return held

    def class_item(self, cls: type, name: str) -> Any:
        """Read what a class itself, not one of its bases, holds under a name."""
        if not is_heap_type(cls):
            return cls.__dict__.get(name, ABSENT)
        return self.dict_item(class_dict(cls), name)

    def mro(self, cls: type) -> tuple[type, ...]:
        """Return the classes in which a class looks names up."""
        found = mro_of(cls, None)
        if is_heap_type(cls) and id(cls) not in self.fresh:
            name = (id(cls), "mro")
            if name not in self._noted:
                self.note(Guard(mro_of, cls, None, found, word_of_field(cls, type, "__mro__")), name)
        return found

    def lookup(self, cls: type, name: str) -> Any:
        """Look a name up in a class and its bases; `ABSENT` where none has it."""
        found = self.lookups.get((cls, name))
        if found is None:
            found = ABSENT
            for base in self.mro(cls):
                found = self.class_item(base, name)
                if found is not ABSENT:
                    break
            self.lookups[cls, name] = found
        return found

    def function(self, function: FunctionType) -> None:
        """Guard the code and the defaults of a function."""
        if id(function) in self.fresh:
            return
        name = (id(function), "function")
        if name in self._noted:
            return
        for field in ("__code__", "__defaults__", "__kwdefaults__"):
            value = getattr(function, field)
            guard = Guard(
                native_attribute, function, field, value, word_of_field(function, FunctionType, field)
            )
            self.note(guard, name if field == "__code__" else (*name, field))
        for value in function.__defaults__ or ():
            self.seen(value)
        if function.__kwdefaults__:
            self.whole_dict(function.__kwdefaults__)

    def tensor_attribute(self, tensor: Any, name: str) -> Any:
        """Read what the user has set on a tensor; `ABSENT` where nothing is set."""
        if not self.cells.is_cell(tensor):
            return tensor.__dict__.get(name, ABSENT)
        if self.cells.is_argument(tensor):
            raise self.refusal(f"it reads .{name} of a tensor that it is given")
        self.told(tensor)
        held = self.dict_of(tensor)
        return ABSENT if held is None else self.dict_item(held, name)

    def read_slot(self, thing: Any, slot: Any) -> Any:
        """Read a slot of an object."""
        name = (id(thing), "slot", slot)
        try:
            value = slot.__get__(thing, type(thing))
        except AttributeError:
            value = ABSENT
        if name not in self._slots:
            value = self._read(name, Guard(slot_of, thing, slot, value))
        if value is ABSENT:
            slot.__get__(thing, type(thing))
        return value

    # --- writing --------------------------------------------------------------------------------------------

    def effect(self, function: Callable[..., Any], *args: Any) -> None:
        """Add an effect."""
        self.effects.append(Effect(function, args))

    def write_item(self, container: dict[Any, Any], key: Any, value: Any) -> None:
        """Put a value into a dict."""
        name = id(container)
        if self._is_own(container):
            dict.__setitem__(container, key, value)
            return
        old = dict.get(container, key, ABSENT)
        if old is ABSENT:
            self._snapshot(container)
            self._undo.append(lambda: _without(container, key))
        else:
            self._undo.append(lambda: dict.__setitem__(container, key, old))
        dict.__setitem__(container, key, value)
        self._written.setdefault(name, set()).add(key)
        self._held.setdefault((name, key), old)
        self._keep.append((container, old))
        self.effect(dict.__setitem__, container, key, value)

    def delete_item(self, container: dict[Any, Any], key: Any) -> None:
        """Take a value that is there out of a dict."""
        name = id(container)
        if not self._is_own(container):
            self._snapshot(container)
            held = _copied(container)
            self._undo.append(lambda: _refill(container, held))
            self._written.setdefault(name, set()).add(key)
            self.effect(dict.__delitem__, container, key)
        dict.__delitem__(container, key)

    def write_list_item(self, container: list[Any], key: int, value: Any) -> None:
        """Put a value in the place of another one in a list."""
        name = id(container)
        if self._is_own(container) or name in self._entry or not isinstance(key, int):
            self.mutate(container, list.__setitem__, key, value)
            return
        self.list_length(container)
        self._begun.setdefault(name, list(list.__iter__(container)))
        old = list.__getitem__(container, key)
        self._undo.append(lambda: list.__setitem__(container, key, old))
        list.__setitem__(container, key, value)
        self._written.setdefault(name, set()).add(key)
        self._keep.append((container, old))
        self.effect(list.__setitem__, container, key, value)

    def write_cell(self, cell: CellType, value: Any) -> None:
        """Put a value into a closure's cell."""
        if id(cell) not in self.fresh:
            old = cell_contents(cell, None)
            self._undo.append(lambda: _set_cell(cell, old))
            self._written[id(cell)] = set()
            self._held.setdefault((id(cell), "cell"), old)
            self._keep.append((cell, old))
            self.effect(_set_cell, cell, value)
        cell.cell_contents = value

    def mutate(self, container: Any, method: Callable[..., Any], *args: Any) -> Any:
        """Call a method that changes a list, set, dict or deque of the user's; return what it returns."""
        if self._is_own(container):
            return method(container, *args)
        self._snapshot(container)
        if method not in _GROWING:
            self._cut.add(id(container))
        now = _copied(container)
        restore = _refill if isinstance(container, dict) else _replace
        self._undo.append(lambda: restore(container, now))
        if isinstance(container, dict):
            keys = self._written.setdefault(id(container), set())
            keys.update(self._entry[id(container)], dict_keys(container))
        result = method(container, *args)
        if isinstance(container, dict):
            self._written[id(container)].update(dict_keys(container))
        self.effect(method, container, *args)
        return result

    def write_slot(self, thing: Any, slot: Any, value: Any) -> None:
        """Put a value into a slot of an object."""
        if id(thing) not in self.fresh:
            old = slot_of(thing, slot)
            self._undo.append(lambda: _set_slot(thing, slot, old))
            self._slots.add((id(thing), "slot", slot))
            self._held.setdefault((id(thing), slot), old)
            self._keep.append((thing, old))
            self.effect(_set_slot, thing, slot, value)
        slot.__set__(thing, value)

    def write_class(self, cls: type, name: str, value: Any) -> None:
        """Assign an attribute of a class."""
        held = class_dict(cls)
        if id(cls) not in self.fresh:
            old = held.get(name, ABSENT)
            self._undo.append(lambda: _set_class(cls, name, old))
            self._written.setdefault(id(held), set()).add(name)
            self._held.setdefault((id(cls), name), old)
            self._keep.append((cls, old))
            self.effect(_set_class, cls, name, value)
        _set_class(cls, name, value)
        self.lookups.clear()

    def write_tensor_attribute(self, tensor: Any, name: str, value: Any) -> None:
        """Set an attribute on a tensor that no class has."""
        if not self.cells.is_cell(tensor):
            tensor.__dict__[name] = value
            self.tagged.append(tensor)
            return
        self.told(tensor)
        held = self.dict_of(tensor)
        if self.cells.is_argument(tensor) or held is None:
            raise self.refusal(f"the function assigns to .{name} of a tensor that it is given")
        self.write_item(held, name, value)

    def _is_own(self, container: Any) -> bool:
        """Return whether a container that is going to be changed is the trace's, so that it is no effect."""
        if self.tainted:
            self.check_taint(container)
        if id(container) in self.arguments:
            self.changes_given = True
            return False
        return id(container) in self.fresh

    def changed(self) -> set[int]:
        """Return the containers of the user's that the trace has written to, by identity, but for those among
        the arguments, of which each call is given others.
        """
        return {*self._entry, *self._written} - self.arguments.keys()

    def _snapshot(self, container: Any) -> None:
        if id(container) not in self._entry:
            begun = self._begun.get(id(container))
            self._entry[id(container)] = _copied(container) if begun is None else begun
            if begun is not None:
                # Places are others from here on.
                del self._written[id(container)]
            self._keep.append(container)

    def rollback(self) -> None:
        """Undo everything that the trace has written."""
        while self._undo:
            self._undo.pop()()

    def net_effects(self) -> list[Effect]:
        """Return the effects without assignments that later ones undo or repeat.

        A place that held something when the call began is assigned once, with what it holds in the end; no
        order of keys depends on that.
        """
        later = {(id(container), name) for container, name in self.read_later}
        if later and any(self._place_of(effect) in later for effect in self.effects):
            raise self.refusal("it assigns a variable that a function called after the program reads")
        shaped = {id(e.args[0]) for e in self.effects if e.args and e.function not in _ASSIGNING}
        last: dict[Any, int] = {}
        for n, effect in enumerate(self.effects):
            place = self._place_of(effect)
            if place is not None and place[0] not in shaped:
                last[place] = n
        kept = []
        for n, effect in enumerate(self.effects):
            place = self._place_of(effect)
            if place in last:
                held = self._held.get(place, ABSENT)
                if held is not ABSENT and last[place] != n:
                    continue
                # A later call may find another thing there, unless that is guarded.
                guard = self._noted.get(_name_of(effect))
                if guard is not None and effect.args[-1] is held is guard.value:
                    continue
            kept.append(effect)
        return kept

    def _place_of(self, effect: Effect) -> Any:
        if effect.function not in _ASSIGNING:
            return None
        container, *key = effect.args[:-1]
        return (id(container), "cell") if not key else (id(container), *key)

    # --- what this trace tells the next ---------------------------------------------------------------------

    def changing(self) -> bool:
        """Note the places that were read and then written to; whether they are news."""
        news = False
        for effect in self.net_effects():
            name = _name_of(effect)
            guard = None if name is None else self._noted.get(name)
            if guard is None:
                continue
            value = effect.args[-1]
            if isinstance(guard.value, TensorBase) and isinstance(value, TensorBase):
                if name not in self.knowledge.places and guard.value is not value:
                    self.knowledge.places[name] = guard
                    news = True
            elif type(guard.value) in (int, float) and name not in self.knowledge.fixed:
                if name not in self.knowledge.counters:
                    self.knowledge.counters[name] = guard
                    news = True
        return news


def place_of(guard: Guard) -> Any:
    """Return the name by which a trace knows the place of a guard; None where it is none that holds a number
    of the user's.
    """
    if guard.read is dict_item or guard.read is list_item:
        return (id(guard.container), "item", guard.key)
    if guard.read is cell_contents:
        return (id(guard.container), "cell")
    if guard.read is list_length:
        return (id(guard.container), "length")
    return (id(guard.container), "slot", guard.key) if guard.read is slot_of else None


def _name_of(effect: Effect) -> Any:
    """Return the name of the guard of a place that an effect assigns to; None where it assigns to none."""
    function, args = effect
    if function is _set_cell:
        return (id(args[0]), "cell")
    if function is _set_slot:
        return (id(args[0]), "slot", args[1])
    if function is _set_class:
        return (id(class_dict(args[0])), "item", args[1])
    if function is dict.__setitem__ or (function is list.__setitem__ and type(args[1]) is int):
        return (id(args[0]), "item", args[1])
    return None


def _user_line() -> str:
    """Return the file and line of the user's code that is running."""
    frame = user_frame(sys._getframe(1))
    # Code that Python adds, as before the handlers of errors, has no line.
    return f"{frame.f_code.co_filename}:{frame.f_lineno or frame.f_code.co_firstlineno}"


def _fixed(value: Any) -> None:
    """Guard a number that is going to be read without being seen."""
    if isinstance(value, Counter):
        value.known()


def _copied(container: Any) -> Any:
    """Return what a container holds, in order."""
    if isinstance(container, dict):
        return {key: dict.__getitem__(container, key) for key in dict_keys(container)}
    kinds: tuple[Any, ...] = (list, set, deque)
    for kind in kinds:
        if isinstance(container, kind):
            return kind(kind.__iter__(container))
    raise TypeError(f"no container: {type(container).__name__}")


def _without(container: dict[Any, Any], key: Any) -> None:
    dict.pop(container, key, None)


def _refill(container: dict[Any, Any], held: dict[Any, Any]) -> None:
    kind: Any = OrderedDict if isinstance(container, OrderedDict) else dict
    kind.clear(container)
    for key, value in held.items():
        kind.__setitem__(container, key, value)


def _replace(container: Any, held: Any) -> None:
    kind = type(held)
    kind.clear(container)
    (set.update if kind is set else kind.extend)(container, held)


def _set_slot(thing: Any, slot: Any, value: Any) -> None:
    if value is ABSENT:
        slot.__delete__(thing)
    else:
        slot.__set__(thing, value)


def _set_class(cls: type, name: str, value: Any) -> None:
    if value is ABSENT:
        type.__delattr__(cls, name)
    else:
        type.__setattr__(cls, name, value)


def _set_cell(cell: CellType, value: Any) -> None:
    if value is ABSENT:
        del cell.cell_contents
    else:
        cell.cell_contents = value


#: Methods that make a list longer, by as much in each call.
_GROWING = (list.append, list.extend, list.insert)
#: Functions that assign to a place: the container, the key where there is one, and the value.
_ASSIGNING = (dict.__setitem__, _set_cell, _set_slot, _set_class)
