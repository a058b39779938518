"""Turn what one trace writes to Python's state into effects.

A write is done at once, so that the trace sees it, is undone when the trace ends, and is done again by each
call after its program.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CellType
from typing import TYPE_CHECKING, Any

from ..unsupported import OnlyNow
from .effects import (
    ASSIGNING,
    GROWING,
    Effect,
    copied,
    name_of,
    refill,
    replace,
    set_cell,
    set_class,
    set_slot,
    without,
    without_passing,
    without_pushed,
)
from .guards import ABSENT, cell_contents, class_dict, dict_keys, dict_of, slot_of
from .reads import Reads

if TYPE_CHECKING:
    from ..cells import Cells
    from .knowledge import Knowledge


class Writes(Reads):
    """Do what one trace writes to the user's state, so that the trace sees it, and keep it as effects."""

    def __init__(self, cells: Cells, knowledge: Knowledge) -> None:
        super().__init__(cells, knowledge)
        #: What functions that are called after the program read (see `plain_functions`).
        self.read_later: list[tuple[Any, str]] = []
        self._undo: list[Callable[[], None]] = []
        #: What lists held before their first item was assigned to.
        self._begun: dict[int, list[Any]] = {}
        #: What places held before they were assigned to.
        self._held: dict[Any, Any] = {}
        #: Tensors that the trace has made and set attributes on.
        self.tagged: list[Any] = []

    def effect(self, function: Callable[..., Any], *args: Any) -> None:
        """Add an effect."""
        self.effects.append(Effect(function, args))

    def write_item(self, container: dict[Any, Any], key: object, value: object) -> None:
        """Put a value into a dict."""
        name = id(container)
        if self._is_own(container):
            dict.__setitem__(container, key, value)
            return
        self.tell_key(container, key)
        old = dict.get(container, key, ABSENT)
        if old is ABSENT:
            self._snapshot(container)
            self._undo.append(lambda: without(container, key))
        else:
            self._undo.append(lambda: dict.__setitem__(container, key, old))
        dict.__setitem__(container, key, value)
        self._written.setdefault(name, set()).add(key)
        self._held.setdefault((name, key), old)
        self._keep.append((container, old))
        self.effect(dict.__setitem__, container, key, value)

    def delete_item(self, container: dict[Any, Any], key: object) -> None:
        """Take a value that is there out of a dict."""
        name = id(container)
        if not self._is_own(container):
            self._snapshot(container)
            held = copied(container)
            self._undo.append(lambda: refill(container, held))
            self._written.setdefault(name, set()).add(key)
            self.effect(dict.__delitem__, container, key)
        dict.__delitem__(container, key)

    def write_list_item(self, container: list[Any], key: int, value: object) -> None:
        """Put a value in the place of another one in a list."""
        name = id(container)
        if self._is_own(container) or name in self._entry or not isinstance(key, int):
            self.mutate(container, list.__setitem__, key, value)
            return
        self.length(container)
        self._begun.setdefault(name, list(list.__iter__(container)))
        old = list.__getitem__(container, key)
        self._undo.append(lambda: list.__setitem__(container, key, old))
        list.__setitem__(container, key, value)
        self._written.setdefault(name, set()).add(key)
        self._keep.append((container, old))
        self.effect(list.__setitem__, container, key, value)

    def stand_in(
        self, put: Callable[..., None], container: object, key: object, value: object, held: object
    ) -> None:
        """Put what stands for a number into a container that the function is given."""
        self._undo.append(lambda: put(container, key, held))
        put(container, key, value)

    def write_cell(self, cell: CellType, value: object) -> None:
        """Put a value into a closure's cell."""
        if id(cell) not in self.fresh:
            old = cell_contents(cell, None)
            self._undo.append(lambda: set_cell(cell, old))
            self._written[id(cell)] = set()
            self._held.setdefault((id(cell), "cell"), old)
            self._keep.append((cell, old))
            self.effect(set_cell, cell, value)
        cell.cell_contents = value

    def mutate(self, container: Any, method: Callable[..., Any], *args: Any) -> Any:
        """Call a method that changes a list, set, dict or deque of the user's; return what it returns."""
        if self._is_own(container):
            return method(container, *args)
        self._snapshot(container)
        if method not in GROWING:
            self._cut.add(id(container))
        now = copied(container)
        restore = refill if isinstance(container, dict) else replace
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
        if not self._is_own(thing):
            old = slot_of(thing, slot)
            self._undo.append(lambda: set_slot(thing, slot, old))
            self._slots.add((id(thing), "slot", slot))
            self._held.setdefault((id(thing), slot), old)
            self._keep.append((thing, old))
            self.effect(set_slot, thing, slot, value)
        slot.__set__(thing, value)

    def write_class(self, cls: type, name: str, value: object) -> None:
        """Assign an attribute of a class."""
        held = class_dict(cls)
        if id(cls) not in self.fresh:
            old = held.get(name, ABSENT)
            self._undo.append(lambda: set_class(cls, name, old))
            self._written.setdefault(id(held), set()).add(name)
            self._held.setdefault((id(cls), name), old)
            self._keep.append((cls, old))
            self.effect(set_class, cls, name, value)
        set_class(cls, name, value)
        self.lookups.clear()

    def tensor_attribute(self, tensor: object, name: str) -> Any:
        """Read what the user has set on a tensor; `ABSENT` where nothing is set."""
        if not self.cells.is_cell(tensor):
            return tensor.__dict__.get(name, ABSENT)
        if self.cells.is_argument(tensor):
            if name in dict_of(tensor, None):
                raise self.refusal(f"it reads .{name} of a tensor that it is given", OnlyNow)
            self.cells.without(tensor, name)
            return ABSENT
        self.told(tensor)
        held = self.dict_of(tensor)
        return ABSENT if held is None else self.dict_item(held, name)

    def write_tensor_attribute(self, tensor: object, name: str, value: object) -> None:
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

    def delete_tensor_attribute(self, tensor: object, name: str) -> None:
        """Take an attribute off a tensor that was set on it and that no class has."""
        plain = self.lookup(type(tensor), "__delattr__") is vars(object)["__delattr__"]
        known = plain and self.lookup(type(tensor), name) is ABSENT
        if not known or self.tensor_attribute(tensor, name) is ABSENT:
            raise self.refusal(f"the function deletes .{name} of a tensor")
        held = self.dict_of(tensor) if self.cells.is_cell(tensor) else None
        if held is None:
            del tensor.__dict__[name]
        else:
            self.delete_item(held, name)

    def _is_own(self, container: object) -> bool:
        """Return whether a container that is going to be changed is the trace's, so that it is no effect."""
        if self.tainted:
            self.check_taint(container)
        if id(container) in self.arguments:
            self.changes_given = True
            return False
        return id(container) in self.fresh

    def changed(self) -> set[int]:
        """Return the user's containers that were written to, by identity, but for arguments."""
        return {*self._entry, *self._written} - self.arguments.keys()

    def _snapshot(self, container: object) -> None:
        if id(container) not in self._entry:
            begun = self._begun.get(id(container))
            self._entry[id(container)] = copied(container) if begun is None else begun
            if begun is not None:
                # Places are others from here on.
                del self._written[id(container)]
            self._keep.append(container)

    def rollback(self) -> None:
        """Undo everything that the trace has written."""
        # One that an interrupt comes into is done once more.
        while self._undo:
            self._undo[-1]()
            self._undo.pop()

    def net_effects(self) -> list[Effect]:
        """Return the effects without assignments that later ones undo or repeat.

        A place that held something when the call began is assigned once, with what it holds in the end; no
        order of keys depends on that.
        """
        later = {(id(container), name) for container, name in self.read_later}
        if later and any(self._place_of(effect) in later for effect in self.effects):
            raise self.refusal("it assigns a variable that a function called after the program reads")
        effects = without_pushed(without_passing(self.effects, self._entry), self._entry)
        shaped = {id(e.args[0]) for e in effects if e.args and e.function not in ASSIGNING}
        last: dict[Any, int] = {}
        for n, effect in enumerate(effects):
            place = self._place_of(effect)
            if place is not None and place[0] not in shaped:
                last[place] = n
        kept = []
        for n, effect in enumerate(effects):
            place = self._place_of(effect)
            if place in last:
                held = self._held.get(place, ABSENT)
                if held is not ABSENT and last[place] != n:
                    continue
                # A later call may find another thing there, unless that is guarded.
                guard = self._noted.get(name_of(effect))
                if guard is not None and effect.args[-1] is held is guard.value:
                    continue
            kept.append(effect)
        return kept

    def adds_a_key(self, effect: Effect) -> bool:
        """Return whether an effect puts a key into a dict that did not have it when the call began."""
        if effect.function is not dict.__setitem__:
            return False
        return all(effect.args[1] is not key for key in self._entry.get(id(effect.args[0]), ()))

    def _place_of(self, effect: Effect) -> Any:
        if effect.function not in ASSIGNING:
            return None
        container, *key = effect.args[:-1]
        return (id(container), "cell") if not key else (id(container), *key)
