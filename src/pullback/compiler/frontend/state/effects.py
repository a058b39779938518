"""Name what a trace writes to the user's state, as each call does it after its program."""

from collections import OrderedDict, deque
from collections.abc import Callable
from types import CellType
from typing import Any

from ....array.named_tuples import NamedTuple
from .guards import ABSENT, class_dict, dict_keys


class Effect(NamedTuple):
    """``function(*args)``, which each call does after its program."""

    function: Callable[..., Any]
    args: tuple[Any, ...]


def name_of(effect: Effect) -> Any:
    """Return the name of the guard of a place that an effect assigns to; None where it assigns to none."""
    function, args = effect
    if function is set_cell:
        return (id(args[0]), "cell")
    if function is set_slot:
        return (id(args[0]), "slot", args[1])
    if function is set_class:
        return (id(class_dict(args[0])), "item", args[1])
    if function is dict.__setitem__ or (function is list.__setitem__ and type(args[1]) is int):
        return (id(args[0]), "item", args[1])
    return None


def copied(container: object) -> Any:
    """Return what a container holds, in order."""
    if isinstance(container, dict):
        return {key: dict.__getitem__(container, key) for key in dict_keys(container)}
    kinds: tuple[Any, ...] = (list, set, deque)
    for kind in kinds:
        if isinstance(container, kind):
            return kind(kind.__iter__(container))
    raise TypeError(f"no container: {type(container).__name__}")


def without(container: dict[Any, Any], key: object) -> None:
    """Take a key out of a dict, if it is there."""
    kind: Any = OrderedDict if isinstance(container, OrderedDict) else dict
    kind.pop(container, key, None)


def refill(container: dict[Any, Any], held: dict[Any, Any]) -> None:
    """Give a dict what it held, in that order."""
    kind: Any = OrderedDict if isinstance(container, OrderedDict) else dict
    kind.clear(container)
    for key, value in held.items():
        kind.__setitem__(container, key, value)


def give_data(t: Any, made: Any) -> None:
    """Give a tensor the data of a result."""
    t.data = made


def freeze(t: Any) -> None:
    """Let a tensor require no gradient."""
    t.requires_grad_(False)


def replace(container: Any, held: Any) -> None:
    """Give a list, set or deque what it held."""
    kind = type(held)
    kind.clear(container)
    (set.update if kind is set else kind.extend)(container, held)


def set_slot(thing: Any, slot: Any, value: Any) -> None:
    """Put a value into a slot, or empty it where the value is `ABSENT`."""
    if value is ABSENT:
        slot.__delete__(thing)
    else:
        slot.__set__(thing, value)


def set_class(cls: type, name: str, value: object) -> None:
    """Assign an attribute of a class, or delete it where the value is `ABSENT`."""
    if value is ABSENT:
        type.__delattr__(cls, name)
    else:
        type.__setattr__(cls, name, value)


def set_cell(cell: CellType, value: object) -> None:
    """Put a value into a closure's cell, or empty it where the value is `ABSENT`."""
    if value is ABSENT:
        del cell.cell_contents
    else:
        cell.cell_contents = value


#: Methods that make a list longer, by as much in each call.
GROWING = (list.append, list.extend, list.insert)
#: Functions that give a dict a key's value, and that take a key out.
_PUTTING = (dict.__setitem__, OrderedDict.__setitem__)
_TAKING = (dict.__delitem__, OrderedDict.__delitem__)
#: Functions that assign to a place: the container, the key where there is one, and the value.
ASSIGNING = (dict.__setitem__, set_cell, set_slot, set_class)


def without_passing(effects: list[Effect], entry: dict[int, Any]) -> list[Effect]:
    """Return the effects; where one puts a key into a dict and a later one takes it out, the key is taken out
    if it is there.

    Parameters
    ----------
    entry
        What dicts held when the call began, by identity.
    """
    others = {id(e.args[0]) for e in effects if e.args and e.function not in (*_PUTTING, *_TAKING)}
    there = {(name, key) for name, held in entry.items() if isinstance(held, dict) for key in held}
    kept: dict[int, Effect] = dict(enumerate(effects))
    put: dict[Any, list[int]] = {}
    for n, (function, args) in enumerate(effects):
        if function not in (*_PUTTING, *_TAKING) or id(args[0]) in others or id(args[0]) not in entry:
            continue
        place = id(args[0]), args[1]
        if function in _TAKING:
            if place in put:
                kept[n] = Effect(without, args)
            for earlier in put.pop(place, ()):
                del kept[earlier]
            there.discard(place)
        elif place not in there:
            put.setdefault(place, []).append(n)
    return list(kept.values())


def without_pushed(effects: list[Effect], entry: dict[int, Any]) -> list[Effect]:
    """Return the effects without items that are put at the end of a list and taken from there again.

    Parameters
    ----------
    entry
        What lists held when the call began, by identity.
    """
    known: set[int] = set(entry)
    known -= {id(e.args[0]) for e in effects if e.args and not _is_of_stack(e)}
    kept: dict[int, Effect] = dict(enumerate(effects))
    #: For each list, how many of the items are left that it began with, and the effects of each one on top.
    below: dict[int, int] = {}
    above: dict[int, list[list[int]]] = {}
    for n, (function, args) in enumerate(effects):
        if not args or id(args[0]) not in known:
            continue
        name = id(args[0])
        bottom, top = below.setdefault(name, len(entry[name])), above.setdefault(name, [])
        if function is list.append:
            top.append([n])
        elif function is list.__setitem__:
            if args[1] >= bottom:
                top[args[1] - bottom].append(n)
        elif top:
            for each in (*top.pop(), n):
                del kept[each]
        else:
            below[name] -= 1
    return list(kept.values())


def _is_of_stack(effect: Effect) -> bool:
    """Return whether an effect appends to a list, takes its last item, or assigns to one."""
    function, args = effect
    if type(args[0]) is not list:
        return False
    one_item = function is list.__setitem__ and type(args[1]) is int and args[1] >= 0
    return one_item or function is list.append or (function is list.pop and len(args) == 1)
