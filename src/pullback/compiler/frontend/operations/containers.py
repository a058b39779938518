"""Special methods and operators of lists, tuples, dicts, sets and deques, as rewritten code asks for them."""

import gc
import itertools
import operator
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from types import FunctionType, GeneratorType, MappingProxyType
from typing import Any

import numpy as np

from ....core.size import Size
from ....core.value import TensorBase
from ..bytecode.hooks import HOOKS
from ..functions import container_methods
from ..state.deferred import Deferred
from ..state.guards import ABSENT
from ..state.session import Session
from . import calls, iteration, operators, subscripts

EXACT = frozenset({list, tuple, dict, set, frozenset, deque, OrderedDict, defaultdict})
_KINDS = (list, tuple, dict, set, frozenset, deque)
#: Iterators of Python's own, which are known only where the trace has made them.
ITERATORS: frozenset[Any] = frozenset({
    type(iter([])), type(iter(())), type(iter({})), type(iter({}.values())), type(iter({}.items())),
    type(iter(set())), type(iter("")), type(iter(b"")), type(iter(range(0))), type(iter(deque())), enumerate,
    zip, map, filter, reversed, type(reversed([])), type(reversed({})), GeneratorType,
    type(iter(OrderedDict())), type(iter("é")), itertools.zip_longest, itertools.pairwise, itertools.count,
    itertools.cycle, itertools.accumulate, itertools.takewhile, itertools.dropwhile, itertools.compress,
    itertools.filterfalse, type(reversed(deque())),
})  # fmt: skip
_VIEWS: tuple[type, ...] = (
    type({}.keys()), type({}.values()), type({}.items()), type(OrderedDict().keys()),
    type(OrderedDict().values()), type(OrderedDict().items()),
)  # fmt: skip


_KEYS: Any = (type({}.keys()), type(OrderedDict().keys()))


def is_builtin(value: object) -> bool:
    """Return whether a value is a container of Python's own class."""
    return type(value) in EXACT


def is_container(value: object) -> bool:
    """Return whether a value is a container of Python's, perhaps of a derived class."""
    return isinstance(value, _KINDS) and type(value) is not Size


def is_view(value: object) -> bool:
    """Return whether a value is a view of a dict, which guards what it shows when it is made."""
    return isinstance(value, _VIEWS)


def values_of(container: object) -> Iterator[Any]:
    """Iterate over what a container holds, whatever the methods of a class derived from it are."""
    return kind_of(container).__iter__(container)


def follow_view(session: Session, view: Any) -> None:
    """Guard what a view of a dict shows that was there before the trace."""
    if session.is_fresh(view):
        return
    held = proxy_dict(view.mapping)
    if held is None:
        raise session.refusal("it reads a view of a dict that is not known")
    if type(view) in _KEYS:
        follow_keys(session, held)
    else:
        session.whole_dict(held)


def within(tree: object) -> Iterator[Any]:
    """Return the lists, sets and dicts in a tree of tuples, lists and dicts."""
    if isinstance(tree, set):
        yield tree
    elif isinstance(tree, (tuple, list)):
        if isinstance(tree, list):
            yield tree
        for part in tree:
            yield from within(part)
    elif isinstance(tree, dict):
        yield tree
        for part in tree.values():
            yield from within(part)


def made_within(session: Session, tree: object) -> Any:
    """Note the containers in a tree that the trace has just made; return it."""
    for container in within(tree):
        session.made(container)
    return tree


def is_mutable(value: object) -> bool:
    """Return whether an operator in place changes a value, which is a container of Python's."""
    return isinstance(value, (list, dict, set, deque))


def kind_of(container: Any) -> Any:
    """Return Python's class of a container, whose methods are what its own class may have replaced."""
    return next(kind for kind in (OrderedDict, *_KINDS) if isinstance(container, kind))


# --- special methods ----------------------------------------------------------------------------------------


def special(session: Session, container: object, name: str, *args: Any) -> Any:
    """Call a special method of a container: a derived class's own, or Python's."""
    if type(container) not in EXACT:
        session.typed(container)
        method = session.lookup(type(container), name)
        if type(method) is FunctionType:
            return calls.call_function(session, method, (container, *args), {})
    return PYTHONS[name](session, container, *args)


def set_item(session: Session, container: object, key: object, value: object) -> None:
    """Do ``container[key] = value``."""
    special(session, container, "__setitem__", key, value)


def length(session: Session, container: object) -> Any:
    """Return ``len(container)``."""
    return counted(container, special(session, container, "__len__"))


def has(session: Session, container: object, value: object) -> bool:
    """Return ``value in container``."""
    return operators.truth(special(session, container, "__contains__", value))


def _index(key: object) -> Any:
    """Return a number, or a slice of numbers, for what stands for one in a subscript."""
    if isinstance(key, slice):
        return slice(*map(subscripts.index_of, (key.start, key.stop, key.step)))
    return int(key) if isinstance(key, np.integer) else subscripts.index_of(key)


def _place(session: Session, container: list[Any], key: int, error: str) -> int:
    """Return a place in a list, from the front; what depends on the list's length is guarded."""
    length = list.__len__(container)
    if not 0 <= key < length:
        session.length(container)
        key += length if key < 0 else 0
        if not 0 <= key < length:
            raise IndexError(error)
    return key


def _item(session: Session, container: Any, key: Any) -> Any:
    if isinstance(container, dict):
        value = session.dict_item(container, iteration.key(key))
        return _missing(session, container, key) if value is ABSENT else value
    key = _index(key)
    if isinstance(container, list) and isinstance(key, int):
        return session.list_item(container, _place(session, container, key, "list index out of range"))
    if isinstance(key, TensorBase):
        raise session.refusal("the numbers of a traced tensor decide what happens next")
    session.whole(container)
    found = getattr(kind_of(container), "__getitem__", operator.getitem)(container, key)
    return session.made(found) if isinstance(key, slice) and not isinstance(found, tuple) else found


def _missing_is_set() -> bool:
    """Tell whether a defaultdict calls its class's `__setitem__` for what was missing: until CPython 3.13."""
    found = []

    class Told(defaultdict[str, int]):
        def __setitem__(self, key: str, value: int) -> None:
            found.append(key)

    Told(int)["key"]
    return bool(found)


_MISSING_IS_SET = _missing_is_set()


def _missing(session: Session, container: dict[Any, Any], key: object) -> Any:
    method = session.lookup(type(container), "__missing__")
    if method is ABSENT:
        raise KeyError(key)
    if type(method) is FunctionType:
        return calls.call_function(session, method, (container, key), {})
    if isinstance(container, defaultdict):
        session.note_native(container, "default_factory")
        factory = container.default_factory
        if factory is None:
            raise KeyError(key)
        value = calls.call(factory, ())
        if _MISSING_IS_SET:
            set_item(session, container, key, value)
        else:
            iteration.key(key)
            session.write_item(container, key, value)
        return value
    raise session.refusal(f"it asks a {type(container).__name__} for a key that is missing")


def _store(session: Session, container: dict[Any, Any], key: object, value: object) -> None:
    """Assign an item of a dict."""
    iteration.key(key)
    if isinstance(container, OrderedDict):
        session.mutate(container, OrderedDict.__setitem__, key, value)
    else:
        session.write_item(container, key, value)


def take_out(session: Session, container: dict[Any, Any], key: object) -> Any:
    """Take an item out of a dict; return it, or `ABSENT` where there is none."""
    value = session.dict_item(container, iteration.key(key))
    if value is ABSENT:
        return value
    if isinstance(container, OrderedDict):
        session.mutate(container, OrderedDict.__delitem__, key)
    else:
        session.delete_item(container, key)
    return value


def _set_item(session: Session, container: Any, key: Any, value: Any) -> None:
    if isinstance(container, dict):
        _store(session, container, key, value)
        return
    if not is_mutable(container):
        operator.setitem(container, key, value)  # which raises
    key = _index(key)
    if isinstance(container, list) and isinstance(key, int):
        place = _place(session, container, key, "list assignment index out of range")
        session.write_list_item(container, place, value)
        return
    session.whole(container)
    if isinstance(key, slice):
        value = session.made(iteration.collected(value))
    session.mutate(container, getattr(kind_of(container), "__setitem__", operator.setitem), key, value)


def _delete(session: Session, container: Any, key: Any) -> None:
    if isinstance(container, dict):
        if take_out(session, container, key) is ABSENT:
            raise KeyError(key)
        return
    if not is_mutable(container):
        operator.delitem(container, key)  # which raises
    session.whole(container)
    session.mutate(container, getattr(kind_of(container), "__delitem__", operator.delitem), _index(key))


def _length(session: Session, container: object) -> Any:
    if isinstance(container, list):
        return session.length_of_list(container)
    if isinstance(container, dict):
        session.length(container)
    else:
        session.whole(container)
    return kind_of(container).__len__(container)


def _has(session: Session, container: object, value: object) -> bool:
    if isinstance(container, dict):
        return session.dict_item(container, iteration.key(value)) is not ABSENT
    session.whole(container)
    if isinstance(container, (set, frozenset)):
        return kind_of(container).__contains__(container, iteration.key(value))
    if operators.is_plain(value) and all(map(operators.is_plain, values_of(container))):
        return value in list(values_of(container))
    return any(x is value or operators.truth(HOOKS.compare["=="](x, value)) for x in values_of(container))


def follow_keys(session: Session, container: dict[Any, Any]) -> None:
    """Guard the keys of a dict, which are going to be read."""
    session.dict_keys(container)
    for each in dict.keys(container):
        session.seen_key(container, each)


def _iterator(session: Session, container: object) -> Any:
    if isinstance(container, dict):
        follow_keys(session, container)
    else:
        session.whole(container)
    return session.made(values_of(container))


#: What special methods of Python's own classes do.
PYTHONS: dict[str, Callable[..., Any]] = {
    "__getitem__": _item, "__setitem__": _set_item, "__delitem__": _delete, "__len__": _length,
    "__contains__": _has, "__iter__": _iterator,
}  # fmt: skip


def counted(thing: object, found: object) -> Any:
    """Return the length that a method has answered."""
    if isinstance(found, Deferred) and found.kind is int:
        return found
    found = operators._known(found)
    return found if type(found) is int and found >= 0 else operators.taken(len, thing, "__len__", found)


def update(session: Session, container: object, own: str, other: object) -> Any:
    """Apply an operator in place to a container of Python's; return it."""
    if type(container) not in EXACT:
        session.typed(container)
        method = session.lookup(type(container), own)
        if type(method) is FunctionType:
            return calls.call_function(session, method, (container, other), {})
    kind = kind_of(container)
    if own == "__iadd__" and kind in (list, deque):
        container_methods.extend(session, container, kind, "extend", (other,))
    elif own == "__imul__" and kind in (list, deque) and isinstance(other, int):
        session.whole(container)
        session.mutate(container, kind.__imul__, other)
    elif own == "__ior__" and isinstance(container, dict):
        container_methods.method(session, container, "update", (other,), {})
    elif own in _OF_SETS and kind is set and isinstance(other, (set, frozenset)):
        session.whole(other)
        for part in other:
            iteration.key(part)
        session.mutate(container, getattr(set, own), other)
    else:
        # Nothing changes in place.
        plain = own.replace("__i", "__")
        return operators._binary_slowly(
            session, own, getattr(operator, plain), (plain,), plain.replace("__", "__r", 1), container, other
        )
    return container


_OF_SETS = ("__ior__", "__iand__", "__isub__", "__ixor__")


def behind_proxy(thing: object) -> Any:
    """Return the dict that a read-only proxy shows; anything else as it is."""
    held = proxy_dict(thing) if type(thing) is MappingProxyType else None
    return thing if held is None else held


def proxy_dict(proxy: MappingProxyType[Any, Any]) -> dict[Any, Any] | None:
    """Return the dict behind a proxy; None where it is of something else."""
    found = gc.get_referents(proxy)
    return found[0] if len(found) == 1 and isinstance(found[0], dict) else None
