"""Lists, tuples, dicts, sets and deques as rewritten code reads and changes them."""

from __future__ import annotations

import functools
import gc
import itertools
import operator
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from types import FunctionType, GeneratorType, MappingProxyType
from typing import Any

import numpy as np

from ...core.size import Size
from ...core.value import TensorBase
from . import calls, iteration, operations
from .deferred import Deferred
from .guards import ABSENT
from .hooks import HOOKS
from .session import Session

EXACT = frozenset({list, tuple, dict, set, frozenset, deque, OrderedDict, defaultdict})
_KINDS = (list, tuple, dict, set, frozenset, deque)
#: Iterators of Python's own, which are known only where the trace has made them.
ITERATORS: frozenset[Any] = frozenset({
    type(iter([])), type(iter(())), type(iter({})), type(iter({}.values())), type(iter({}.items())),
    type(iter(set())), type(iter("")), type(iter(b"")), type(iter(range(0))), type(iter(deque())), enumerate,
    zip, map, filter, reversed, type(reversed([])), type(reversed({})), GeneratorType,
    type(iter(OrderedDict())), type(iter("é")), itertools.zip_longest, itertools.pairwise, itertools.count,
    itertools.cycle, itertools.accumulate, itertools.takewhile, itertools.dropwhile, itertools.compress,
    itertools.filterfalse,
})  # fmt: skip
_VIEWS: tuple[type, ...] = (
    type({}.keys()), type({}.values()), type({}.items()), type(OrderedDict().keys()),
    type(OrderedDict().values()), type(OrderedDict().items()),
)  # fmt: skip


_KEYS: Any = (type({}.keys()), type(OrderedDict().keys()))


def is_builtin(value: Any) -> bool:
    """Return whether a value is a container of Python's own class."""
    return type(value) in EXACT


def is_container(value: Any) -> bool:
    """Return whether a value is a container of Python's, perhaps of a derived class."""
    return isinstance(value, _KINDS) and type(value) is not Size


def is_view(value: Any) -> bool:
    """Return whether a value is a view of a dict, which guards what it shows when it is made."""
    return isinstance(value, _VIEWS)


def values_of(container: Any) -> Iterator[Any]:
    """Iterate over what a container holds, whatever the methods of a class derived from it are."""
    kind: Any = next(k for k in _KINDS if isinstance(container, k))
    return kind.__iter__(container)


def follow_view(session: Session, view: Any) -> None:
    """Guard what a view of a dict shows that was there before the trace."""
    if session.is_fresh(view):
        return
    held = proxy_dict(view.mapping)
    if held is None:
        raise session.refusal("it reads a view of a dict that is not known")
    if type(view) in _KEYS:
        session.dict_keys(held)
        for each in dict.keys(held):
            session.seen_key(held, each)
    else:
        session.whole_dict(held)


def within(tree: Any) -> Iterator[Any]:
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


def is_mutable(session: Session, value: Any) -> bool:
    """Return whether an operator in place changes a value, which is a container of Python's."""
    return isinstance(value, (list, dict, set, deque))


def own_method(session: Session, container: Any, name: str) -> Any:
    """Return the method of a derived class that stands for Python's; None where it has none."""
    kind = type(container)
    if kind in EXACT:
        return None
    session.typed(container)
    found = session.lookup(kind, name)
    return found if type(found) is FunctionType else None


def _number(key: Any) -> Any:
    return int(key) if isinstance(key, np.integer) else operations.index_of(key)


def item(session: Session, container: Any, key: Any) -> Any:
    """Return ``container[key]``."""
    method = own_method(session, container, "__getitem__")
    if method is not None:
        return calls.call_function(session, method, (container, key), {})
    if isinstance(container, dict):
        value = session.dict_item(container, iteration.key(key))
        return _missing(session, container, key) if value is ABSENT else value
    key = _number(key)
    if isinstance(key, slice):
        if not isinstance(container, tuple):
            session.whole(container)
        part = container[_plain_slice(key)]
        return part if isinstance(part, tuple) else session.made(part)
    if isinstance(container, list) and isinstance(key, int):
        length = list.__len__(container)
        if not 0 <= key < length:
            session.list_length(container)
            key += length if key < 0 else 0
            if not 0 <= key < length:
                raise IndexError("list index out of range")
        return session.list_item(container, key)
    if isinstance(key, TensorBase):
        raise session.refusal("the numbers of a traced tensor decide what happens next")
    session.whole(container)
    return container[key]


def _plain_slice(key: slice) -> slice:
    return slice(*map(operations.index_of, (key.start, key.stop, key.step)))


def _missing_is_set() -> bool:
    """Tell whether a defaultdict calls its class's `__setitem__` for what was missing: until CPython 3.13."""
    found = []

    class Told(defaultdict[str, int]):
        def __setitem__(self, key: str, value: int) -> None:
            found.append(key)

    Told(int)["key"]
    return bool(found)


_MISSING_IS_SET = _missing_is_set()


def _missing(session: Session, container: dict[Any, Any], key: Any) -> Any:
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


def set_item(session: Session, container: Any, key: Any, value: Any) -> None:
    """Do ``container[key] = value``."""
    method = own_method(session, container, "__setitem__")
    if method is not None:
        calls.call_function(session, method, (container, key, value), {})
    elif isinstance(container, dict):
        iteration.key(key)
        if isinstance(container, OrderedDict):
            session.mutate(container, OrderedDict.__setitem__, key, value)
        else:
            session.write_item(container, key, value)
    elif isinstance(container, list):
        key = _number(key)
        if isinstance(key, slice):
            session.whole(container)
            session.mutate(
                container, list.__setitem__, _plain_slice(key), session.made(iteration.collected(value))
            )
            return
        length = list.__len__(container)
        if not isinstance(key, int) or not 0 <= key < length:
            session.list_length(container)
        if isinstance(key, int) and -length <= key < 0:
            key += length
        if isinstance(key, int) and not 0 <= key < length:
            raise IndexError("list assignment index out of range")
        session.write_list_item(container, key, value)
    elif isinstance(container, deque):
        session.whole(container)
        session.mutate(container, deque.__setitem__, _number(key), value)
    else:
        container[key] = value


def delete(session: Session, container: Any, key: Any) -> None:
    """Do ``del container[key]``."""
    method = own_method(session, container, "__delitem__")
    if method is not None:
        calls.call_function(session, method, (container, key), {})
    elif isinstance(container, dict):
        if session.dict_item(container, iteration.key(key)) is ABSENT:
            raise KeyError(key)
        if isinstance(container, OrderedDict):
            session.mutate(container, OrderedDict.__delitem__, key)
        else:
            session.delete_item(container, key)
    elif isinstance(container, (list, deque)):
        session.whole(container)
        kind: Any = list if isinstance(container, list) else deque
        key = _plain_slice(key) if isinstance(key, slice) else _number(key)
        session.mutate(container, kind.__delitem__, key)
    else:
        del container[key]


def length(session: Session, container: Any) -> Any:
    """Return ``len(container)``."""
    method = own_method(session, container, "__len__")
    if method is not None:
        return counted(container, calls.call_function(session, method, (container,), {}))
    if isinstance(container, list):
        return session.length_of_list(container)
    if isinstance(container, dict):
        session.dict_length(container)
        return dict.__len__(container)
    session.whole(container)
    return len(container)


def counted(thing: Any, found: Any) -> Any:
    """Return the length that a method has answered."""
    if isinstance(found, Deferred) and found.kind is int:
        return found
    found = operations._known(found)
    return found if type(found) is int and found >= 0 else operations.taken(len, thing, "__len__", found)


def has(session: Session, container: Any, value: Any) -> bool:
    """Return ``value in container``."""
    method = own_method(session, container, "__contains__")
    if method is not None:
        return operations.truth(calls.call_function(session, method, (container, value), {}))
    if isinstance(container, dict):
        return session.dict_item(container, iteration.key(value)) is not ABSENT
    session.whole(container)
    if isinstance(container, (set, frozenset)):
        return iteration.key(value) in container
    if operations.is_plain(value) and all(map(operations.is_plain, values_of(container))):
        return value in list(values_of(container))
    return any(
        x is value or operations.truth(HOOKS.compare["=="](x, value)) for x in values_of(container)
    )


def iterator(session: Session, container: Any) -> Any:
    """Return ``iter(container)``."""
    method = own_method(session, container, "__iter__")
    if method is not None:
        return iteration.iterate(calls.call_function(session, method, (container,), {}))
    if isinstance(container, dict):
        session.dict_keys(container)
        for each in dict.keys(container):
            session.seen_key(container, each)
    else:
        session.whole(container)
    return session.made(iter(container))


def update(
    session: Session, container: Any, own: str, function: Callable[[Any, Any], Any], other: Any
) -> Any:
    """Apply an operator in place to a container of Python's; return it."""
    method = own_method(session, container, own)
    if method is not None:
        return calls.call_function(session, method, (container, other), {})
    if isinstance(container, (list, deque)) and own == "__iadd__":
        kind: Any = list if isinstance(container, list) else deque
        take: Any = iteration.collected if kind is list else iteration.iterate
        session.mutate(container, kind.extend, session.made(list(take(other))))
        return container
    if isinstance(container, list) and own == "__imul__" and isinstance(other, int):
        session.whole(container)
        session.mutate(container, list.__imul__, other)
        return container
    if isinstance(container, set) and own in ("__ior__", "__iand__", "__isub__", "__ixor__"):
        if isinstance(other, (set, frozenset)):
            session.whole(other)
            for part in other:
                iteration.key(part)
            session.mutate(container, getattr(set, own), other)
            return container
    if isinstance(container, deque) and own == "__imul__" and isinstance(other, int):
        session.whole(container)
        session.mutate(container, deque.__imul__, other)
        return container
    if isinstance(container, dict) and own == "__ior__":
        _of_dict(session, container, "update", (other,), {})
        return container
    # Nothing changes in place.
    plain = own.replace("__i", "__")
    return operations._binary_slowly(
        session, own, getattr(operator, plain), (plain,), plain.replace("__", "__r", 1), container, other
    )


# --- methods ------------------------------------------------------------------------------------------------

#: Methods that only read, by class.
_READING = {
    list: {"copy", "count", "index", "__len__", "__contains__", "__reversed__"},
    tuple: {"count", "index", "__len__"},
    dict: {"copy", "__len__", "__reversed__"},
    set: {"copy", "difference", "intersection", "union", "symmetric_difference", "isdisjoint", "issubset",
          "issuperset", "__len__"},
    frozenset: {"copy", "difference", "intersection", "union", "symmetric_difference", "isdisjoint",
                "issubset", "issuperset", "__len__"},
    deque: {"copy", "count", "index", "__len__", "__reversed__"},
}  # fmt: skip
_COMPARING = frozenset({"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"})
#: Methods that add something without looking at what is there.
_ADDING = {
    list: {"append"}, deque: {"append", "appendleft"}, set: {"add", "discard"},
}  # fmt: skip
#: Methods that change what is there by what is there.
_CHANGING = {
    list: {"insert", "pop", "remove", "clear", "reverse", "__setitem__", "__delitem__"},
    deque: {"insert", "pop", "popleft", "remove", "clear", "reverse", "rotate"},
    set: {"remove", "pop", "clear"},
    dict: {"clear", "popitem"},
    OrderedDict: {"move_to_end"},
}  # fmt: skip


def method(
    session: Session, container: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call a method of a container of Python's that no derived class has replaced."""
    kind: Any = next(k for k in _KINDS if isinstance(container, k))
    if name in ("__getitem__", "__setitem__", "__delitem__", "__contains__", "__iter__") and not kwargs:
        return _special(session, container, kind, name, args)
    if kind is dict:
        return _of_dict(session, container, name, args, kwargs)
    if name in _ADDING.get(kind, ()) and not kwargs and len(args) == 1:
        if kind is set:
            iteration.key(args[0])
            if not session.is_fresh(container) and session.was_read(container):
                session.whole(container)
        return session.mutate(container, getattr(kind, name), *args)
    if name in ("extend", "extendleft", "update") and kind in (list, deque, set) and not kwargs:
        for other in args:
            take: Any = iteration.collected if kind is list else iteration.iterate
            values = session.made(list(take(other)))
            if kind is set:
                for value in values:
                    iteration.key(value)
            session.mutate(container, getattr(kind, name), values)
        return None
    if name in _CHANGING.get(kind, ()) and not kwargs:
        session.whole(container)
        if name in ("insert", "pop", "rotate") and args:
            args = (operations.index_of(args[0]), *args[1:])
        if name == "remove" and not (
            operations.is_plain(args[0]) and all(map(operations.is_plain, values_of(container)))
        ):
            raise session.refusal(f"it calls {kind.__name__}.remove on objects with comparisons of their own")
        return session.mutate(container, getattr(kind, name), *args)
    if name == "sort" and kind is list and not args:
        session.whole(container)
        # It sorts what is there, whatever the methods of a derived class are.
        with session.untold(container, "it looks at a list that is being sorted"):
            ordered = calls.call(sorted, (session.made(list(values_of(container))),), kwargs)
        session.mutate(container, list.__setitem__, slice(None), ordered)
        return None
    if name in _READING.get(kind, ()) and not kwargs:
        session.whole(container)
        others = []
        for value in args:
            if is_container(value):
                session.whole(value)
            elif kind in (set, frozenset) and not operations.is_plain(value):
                value = set(iteration.iterate(value))
            others.append(value)
        if name in ("count", "index") and not all(
            map(operations.is_plain, [*values_of(container), *args])
        ):
            raise session.refusal(f"it calls {kind.__name__}.{name} on objects with comparisons of their own")
        result = getattr(kind, name)(container, *others)
        return session.made(result) if isinstance(result, (*_KINDS, *ITERATORS)) else result
    if name in _COMPARING and not kwargs and len(args) == 1:
        session.whole(container)
        if is_container(args[0]):
            session.whole(args[0])
        other = values_of(args[0]) if kind in (list, tuple) and is_container(args[0]) else args
        if all(map(operations.is_plain, [*values_of(container), *other])):
            return getattr(kind, name)(container, *args)
    if name == "__init__":
        if kind is tuple:
            return None
        if args or kwargs:
            values = list(iteration.iterate(args[0]))
            (set.update if kind is set else kind.extend)(container, values)
        return None
    raise session.refusal(f"it calls {kind.__name__}.{name}")


def _special(session: Session, container: Any, kind: Any, name: str, args: tuple[Any, ...]) -> Any:
    """Call a special method by name, as a derived class does through ``super()``."""
    if kind is dict and name == "__getitem__":
        value = session.dict_item(container, iteration.key(args[0]))
        return _missing(session, container, args[0]) if value is ABSENT else value
    if kind is dict and name == "__contains__":
        return session.dict_item(container, iteration.key(args[0])) is not ABSENT
    if kind is dict and name == "__setitem__":
        iteration.key(args[0])
        if isinstance(container, OrderedDict):
            session.mutate(container, OrderedDict.__setitem__, *args)
        else:
            session.write_item(container, *args)
        return None
    if kind is dict and name == "__delitem__":
        if session.dict_item(container, iteration.key(args[0])) is ABSENT:
            raise KeyError(args[0])
        kind = OrderedDict if isinstance(container, OrderedDict) else dict
        session.mutate(container, kind.__delitem__, *args)
        return None
    session.whole(container)
    if name in ("__setitem__", "__delitem__"):
        return session.mutate(container, getattr(kind, name), *args)
    result = getattr(kind, name)(container, *args)
    return session.made(result) if name == "__iter__" or isinstance(result, list) else result


def _of_dict(
    session: Session, container: dict[Any, Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if name == "get" and not kwargs:
        value = session.dict_item(container, iteration.key(args[0]))
        return (args[1] if len(args) > 1 else None) if value is ABSENT else value
    if name in ("keys", "values", "items"):
        if name == "keys":
            session.dict_keys(container)
            for each in dict.keys(container):
                session.seen_key(container, each)
        else:
            session.whole_dict(container)
        own: Any = OrderedDict if isinstance(container, OrderedDict) else dict
        return session.made(getattr(own, name)(container))
    if name == "setdefault" and not kwargs:
        value = session.dict_item(container, iteration.key(args[0]))
        if value is ABSENT:
            value = args[1] if len(args) > 1 else None
            _put(session, container, args[0], value)
        return value
    if name == "pop" and not kwargs:
        value = session.dict_item(container, iteration.key(args[0]))
        if value is ABSENT:
            if len(args) > 1:
                return args[1]
            raise KeyError(args[0])
        if isinstance(container, OrderedDict):
            session.mutate(container, OrderedDict.__delitem__, args[0])
        else:
            session.delete_item(container, args[0])
        return value
    if name in ("update", "__init__"):
        others = [iteration.mapping_or_pairs(other) for other in args]
        for other in [*others, kwargs]:
            for each, value in other.items():
                _put(session, container, each, value)
        return None
    if name in ("clear", "popitem", "move_to_end"):
        session.whole_dict(container)
        kind: Any = OrderedDict if isinstance(container, OrderedDict) else dict
        if kwargs:
            return session.mutate(container, functools.partial(getattr(kind, name), **kwargs), *args)
        return session.mutate(container, getattr(kind, name), *args)
    if name in ("copy", "__copy__") and type(container) in EXACT:
        session.whole_dict(container)
        return session.made(container.copy())
    if name in ("__len__", "__reversed__"):
        session.dict_keys(container)
        return getattr(container, name)()
    raise session.refusal(f"it calls dict.{name}")


def _put(session: Session, container: dict[Any, Any], key: Any, value: Any) -> None:
    """Assign an item as methods of ``dict`` do: those of ``OrderedDict`` ask a derived class."""
    if isinstance(container, OrderedDict):
        set_item(session, container, key, value)
    else:
        iteration.key(key)
        session.write_item(container, key, value)


def behind_proxy(thing: Any) -> Any:
    """Return the dict that a read-only proxy shows; anything else as it is."""
    held = proxy_dict(thing) if type(thing) is MappingProxyType else None
    return thing if held is None else held


def proxy_dict(proxy: MappingProxyType[Any, Any]) -> dict[Any, Any] | None:
    """Return the dict behind a proxy; None where it is of something else."""
    found = gc.get_referents(proxy)
    return found[0] if len(found) == 1 and isinstance(found[0], dict) else None

