"""Turn what one trace reads of Python's state into guards.

An object is *fresh* when the trace made it; every other is the user's. A read of the user's state is noted
once, unless the trace has written there before.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType, NoneType
from typing import TYPE_CHECKING, Any

from ....core.tracer import refuse_all
from ....core.value import TensorBase
from ..unsupported import OnlyNow, Unsupported, user_line
from .deferred import Applied, Counter, Deferred, fixed
from .effects import Effect
from .exchanged import Exchanged, is_plain
from .guards import (
    ABSENT,
    Contents,
    Guard,
    cell_contents,
    class_dict,
    contents,
    deque_item,
    deque_length,
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

if TYPE_CHECKING:
    from ..cells import Cells
    from .knowledge import Knowledge

#: Packages whose custom functions read nothing of the user's.
_OURS = ("torch", "pullback")
#: Types of what code consists of, which seldom changes between a call and its backward.
_CODE = (
    type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, CodeType, staticmethod, classmethod,
    dict, tuple, NoneType, type(ABSENT),
)  # fmt: skip
#: Types of keys that Python itself compares.
SIMPLE = frozenset({str, int, bool, type(None), float, bytes})


class Reads:
    """Note what one trace reads of the user's state, as guards.

    Parameters
    ----------
    cells : Cells
        The tensors that the trace comes upon.
    """

    def __init__(self, cells: Cells, knowledge: Knowledge) -> None:
        self.cells = cells
        #: Why the trace comes to nothing, also where the error was caught.
        self.refused: Exception | None = None
        self.knowledge = knowledge
        self.guards: list[Guard] = []
        self.effects: list[Effect] = []
        #: Places whose tensor is an input by its place.
        self.places: dict[Any, Guard] = {}
        self.fresh: set[int] = set()
        #: The containers among the arguments, by identity.
        self.arguments: dict[int, Any] = {}
        #: Returns what stands for one of them among results; set when these are put together.
        self.given_container: Callable[[Any], Any]
        #: Whether one of them is changed.
        self.changes_given = False
        #: Objects that are none of them, on which the function depends, by identity.
        self.apart: set[int] = set()
        self.lookups: dict[Any, Any] = {}
        #: Functions of this package that close over nothing of the user's, by identity.
        self.plain: dict[int, Any] = {}
        #: Modules whose calls go straight to `forward` (see `module_calls`), by identity.
        self.straight: dict[int, Any] = {}
        #: Containers that code which must not be looked at any more may have written to.
        self.tainted: dict[int, str] = {}
        #: Schedulers' steps after the program, if any; identities of containers that must not be results.
        self.scheduled: Any = None
        self.inside: set[int] = set()
        self._noted: dict[Any, Guard] = {}
        self._keep: list[Any] = []
        self._written: dict[int, set[Any]] = {}
        self._entry: dict[int, Any] = {}
        #: Lists, and other containers, that were changed otherwise than by adding to them.
        self._cut: set[int] = set()
        self._slots: set[Any] = set()
        self.there: dict[int, Any] = {}
        #: Deferred numbers that the function has asked for, and what they are.
        self.late: list[tuple[Deferred, Any]] = []
        #: Those that may turn out to be an error, which eager raises where they are worked out.
        self.may_raise: list[Deferred] = []
        #: The lines at which it has.
        self.asked: list[str] = []
        self._passed: dict[int, Any] = {}
        #: Custom functions that were applied.
        self.functions: dict[type, None] = {}
        #: Dicts of the user's with keys that no code of the user's compares.
        self._looked_into: dict[int, Any] = {}
        self.exchanged = Exchanged(self)
        self._is_later = False

    def refusal(self, why: str, kind: Callable[[str], Exception] = Unsupported) -> Exception:
        """Let the trace come to nothing; return the error that says why."""
        error = kind(f"{why} ({user_line()})")
        if self.refused is None:
            self.refused = error
        refuse_all(error)
        return error

    def taint(self, container: object, why: str) -> None:
        """Refuse, from now on, to look at a container: what it will hold is not known yet."""
        self.tainted[id(container)] = why
        self._keep.append(container)

    @contextmanager
    def untold(self, container: object, why: str) -> Iterator[None]:
        """Refuse to look at a container for a while."""
        self.taint(container, why)
        yield
        del self.tainted[id(container)]

    def made(self, thing: object) -> Any:
        """Note that the trace has made an object; return it."""
        # It lives as long as it does in eager: whatever has its address later is made by the trace, too, but
        # for what `not_made` is told of.
        self.fresh.add(id(thing))
        return thing

    def not_made(self, thing: object) -> None:
        """Note that an object which appears only now is the user's, as the ``__dict__`` of an object is."""
        self.fresh.discard(id(thing))

    def is_fresh(self, thing: object) -> bool:
        """Return whether the trace has made an object."""
        return id(thing) in self.fresh

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
        self._is_later = True
        self.lookups.clear()
        for cls in self.functions:
            self.custom(cls)
        counts = len(self.effects), len(self.late), len(self.may_raise)
        try:
            yield self.guards
            noted, reads = self._noted, self.guards
        finally:
            self._noted, self.guards, self._written = before
            self._is_later = False
        # What is checkpointed reads again what the call has read.
        custom = any(cls.__module__.partition(".")[0] not in _OURS for cls in self.functions)
        again = () if custom else before[0]
        if counts != (len(self.effects), len(self.late), len(self.may_raise)):
            raise Unsupported("what backward does besides its numbers would be done by the call")
        if not all(isinstance(read.value, _CODE) or name in again for name, read in noted.items()):
            raise Unsupported("backward reads what may be another thing by then")
        self.guards += reads

    def seen(self, value: object) -> Any:
        """Note a value that was read from the user's state, with what tuples in it hold; return it."""
        if isinstance(value, TensorBase):
            self.cells.meet(value, None)
            return value
        if id(value) in self.arguments and not isinstance(value, tuple):
            raise self.refusal("a container that the function is given is found elsewhere, too", OnlyNow)
        self.there[id(value)] = value
        self.exchanged.shown(value)
        if isinstance(value, (tuple, frozenset)):
            # A class of the user's may have an `__iter__` of its own.
            iterate: Any = tuple.__iter__ if isinstance(value, tuple) else frozenset.__iter__
            for part in iterate(value):
                self.seen(part)
        return value

    def told(self, thing: object) -> None:
        """Guard which tensor stands in a place: something depends on its identity."""
        if isinstance(thing, TensorBase) and self.cells.is_cell(thing) and not self.cells.is_argument(thing):
            self.cells.meet(thing, None, told=True)

    def found_apart(self, a: object, b: object) -> None:
        """Note that two objects are not one: in another call, one found elsewhere could be the one given."""
        for one, other in ((a, b), (b, a)):
            if id(one) in self.arguments and self.was_there(other):
                self.apart.add(id(other))

    def was_there(self, value: object) -> bool:
        """Return whether an object was there before the trace: it was read from the user's state."""
        return id(value) in self.there

    def note(self, guard: Guard, name: Any) -> None:
        """Add a guard, once by its name."""
        if name not in self._noted:
            self._noted[name] = guard
            self.guards.append(guard)
            self._keep.append(guard.container)

    def check_taint(self, container: object) -> None:
        """Refuse to look at what an effect that is done later will have changed."""
        why = self.tainted.get(id(container))
        if why is not None:
            raise self.refusal(why)

    def dict_item(self, container: dict[Any, Any], key: object) -> Any:
        """Read an item of a dict; `ABSENT` where there is none."""
        name = id(container)
        if name in self.fresh:
            return dict.get(container, key, ABSENT)
        if name not in self._looked_into:
            self._look_into(container)
        if type(key) is not str:
            self.tell_key(container, key)
        value = dict.get(container, key, ABSENT)
        if name in self.tainted:
            foreseen = self.scheduled.left_in(container, key) if self.scheduled is not None else None
            if foreseen is None:
                self.check_taint(container)
            elif foreseen is not value:
                return foreseen
        written = self._written.get(name)
        if written is not None and key in written:
            return value
        place = (name, "item", key)
        known = self._noted.get(place)
        if known is not None and place not in self.places:
            return known.value
        return self._read(place, Guard(dict_item, container, key, value))

    def tell_key(self, container: dict[Any, Any], key: object) -> None:
        """Guard the keys of a dict that is asked for an argument: a call may give another tensor."""
        if self._is_given(key):
            self.dict_keys(container)
            for each in dict.keys(container):
                self.seen_key(container, each)

    def _is_given(self, key: object) -> bool:
        """Return whether a key is, or holds, a tensor that is an argument."""
        if isinstance(key, TensorBase):
            return self.cells.is_argument(key)
        return isinstance(key, (tuple, frozenset)) and any(map(self._is_given, key))

    def _look_into(self, container: dict[Any, Any]) -> None:
        """Refuse a dict whose keys the user's code compares."""
        from ..operations.iteration import is_hashed_plainly

        self._looked_into[id(container)] = container
        keys = [*dict.keys(container)]
        if not SIMPLE.issuperset(map(type, keys)) and not all(map(is_hashed_plainly, keys)):
            raise self.refusal("it looks into a dict with keys that have a comparison of their own")

    def _read(self, name: Any, guard: Guard) -> Any:
        """Note a guard of one place; return what the place holds, as the trace is to see it."""
        known = self._noted.get(name)
        if known is not None:
            return known.value if name not in self.places else self.places[name].value
        value = guard.value
        if name in self.knowledge.places and isinstance(value, TensorBase):
            self.places[name] = guard
            self._keep.append(guard.container)
            self._noted[name] = guard
            self.cells.meet(value, guard)
            return value
        if name in self.knowledge.places and is_plain(value) and not self._is_later:
            if (copy := self.exchanged.read(name, guard)) is not ABSENT:
                self._keep += (guard.container, value, copy)
                self._noted[name] = self.places[name]
                return copy
        if name in self.knowledge.counters and type(value) in (int, float):
            self._keep.append(guard.container)
            self.note(Guard(kind_of, guard, None, type(value)), (*name, "kind"))
            return Counter(self, name, guard)
        self.note(guard, name)
        return self.seen(value)

    def fix(self, name: object, guard: Guard) -> None:
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

    def length(self, container: dict[Any, Any] | list[Any]) -> None:
        """Guard the length of a dict or a list."""
        if self.tainted:
            self.check_taint(container)
        if id(container) not in self.fresh:
            read: Callable[..., int] = dict_length if isinstance(container, dict) else list_length
            now = read(self._entry.get(id(container), container), None)
            self.note(Guard(read, container, None, now), (id(container), "length"))

    def whole_dict(self, container: dict[Any, Any]) -> None:
        """Guard everything that a dict holds."""
        self.dict_keys(container)
        if id(container) in self.fresh:
            return
        for key in dict_keys(container):
            self.seen(key)
            fixed(self.dict_item(container, key))

    def whole(self, container: Any) -> None:
        """Guard everything that a list, tuple, dict, set or deque holds."""
        if id(container) in self.fresh or isinstance(container, (tuple, frozenset)):
            return
        if isinstance(container, dict):
            self.whole_dict(container)
        elif isinstance(container, list):
            self.length(container)
            for n in range(list.__len__(self._entry.get(id(container), container))):
                fixed(self.list_item(container, n))
        elif isinstance(container, deque):
            held = contents(self._entry.get(id(container), container), None)
            self.note(Guard(deque_length, container, None, len(held)), (id(container), "all"))
            for n, value in enumerate(held):
                fixed(self._read((id(container), "item", n), Guard(deque_item, container, n, value)))
        else:
            held = contents(self._entry.get(id(container), container), None)
            self.note(Contents(contents, container, None, held), (id(container), "all"))
            for value in held:
                self.seen(value)

    def seen_key(self, container: dict[Any, Any], key: object) -> None:
        """Note a key of a dict of the user's."""
        if id(container) not in self.fresh:
            self.seen(key)

    def was_read(self, container: object) -> bool:
        """Return whether something depends on all that a container holds."""
        return (id(container), "all") in self._noted

    def note_native(self, thing: object, name: str) -> Any:
        """Guard an attribute that is read without any of the user's code; return it."""
        value = native_attribute(thing, name)
        if id(thing) not in self.fresh:
            self.note(Guard(native_attribute, thing, name, value), (id(thing), "attribute", name))
        return value

    def was_written(self, container: object, key: object) -> bool:
        """Return whether the trace has assigned to a place."""
        return key in self._written.get(id(container), ())

    def passed(self, container: object) -> None:
        """Guard everything that a container holds which code that is not rewritten is given."""
        if id(container) not in self.fresh:
            self._passed[id(container)] = container
            self.whole(container)

    def was_passed(self, container: object) -> bool:
        """Return whether a container of the user's was given to code that is not rewritten."""
        return id(container) in self._passed

    def length_of_list(self, container: list[Any]) -> Any:
        """Return the length of a list, a number of a later time where each call finds another one."""
        name = (id(container), "length")
        now = list.__len__(container)
        if name not in self.knowledge.counters or id(container) in {*self._cut, *self.tainted}:
            self.length(container)
            return now
        before = list.__len__(self._entry.get(id(container), container))
        self._keep.append(container)
        counter = Counter(self, name, Guard(list_length, container, None, before))
        return counter if now == before else Applied(self, int, operator.add, (counter, now - before))

    def list_item(self, container: list[Any], key: int) -> Any:
        """Read an item of a list by its number from the front."""
        if self.tainted:
            self.check_taint(container)
        if id(container) in self.fresh or self.was_written(container, key):
            return list.__getitem__(container, key)
        if id(container) in self._entry:
            # What it holds now follows from what it held when the call began.
            held = self._entry[id(container)]
            self.note(Guard(list_length, container, None, len(held)), (id(container), "length"))
            for n, value in enumerate(held):
                fixed(self._read((id(container), "item", n), Guard(list_item, container, n, value)))
            return list.__getitem__(container, key) if key < list.__len__(container) else None
        value = list.__getitem__(container, key)
        return self._read((id(container), "item", key), Guard(list_item, container, key, value))

    def cell(self, cell: CellType) -> Any:
        """Read a closure's cell; `ABSENT` where it is empty."""
        value = cell_contents(cell, None)
        if id(cell) in self.fresh or id(cell) in self._written:
            return value
        return self._read((id(cell), "cell"), Guard(cell_contents, cell, None, value, id(cell)))

    def typed(self, thing: object) -> None:
        """Guard an object's type."""
        cls = type(thing)
        if (is_heap_type(cls) or cls is ModuleType) and id(thing) not in self.fresh:
            name = (id(thing), "type")
            if name not in self._noted:
                self.note(Guard(type_of, thing, None, cls, word_of_type(thing)), name)

    def dict_of(self, thing: object) -> dict[str, Any] | None:
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
        name = (id(function), "function")
        if id(function) in self.fresh or name in self._noted:
            return
        for field in ("__code__", "__defaults__", "__kwdefaults__"):
            word = word_of_field(function, FunctionType, field)
            guard = Guard(native_attribute, function, field, getattr(function, field), word)
            self.note(guard, name if field == "__code__" else (*name, field))
        for value in function.__defaults__ or ():
            self.seen(value)
        if function.__kwdefaults__:
            self.whole_dict(function.__kwdefaults__)

    def read_slot(self, thing: Any, slot: Any) -> Any:
        """Read a slot of an object."""
        name = (id(thing), "slot", slot)
        value = slot_of(thing, slot)
        if name not in self._slots:
            value = self._read(name, Guard(slot_of, thing, slot, value))
        if value is ABSENT:
            slot.__get__(thing, type(thing))
        return value
