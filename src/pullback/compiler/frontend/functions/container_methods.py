"""Methods of lists, tuples, dicts, sets and deques that no derived class has replaced."""

import functools
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any

from ..bytecode.hooks import COMPARISONS
from ..operations import calls, containers, iteration, operators, subscripts
from ..state.guards import ABSENT
from ..state.session import Session

Args = tuple[Any, ...]


def method(session: Session, container: Any, name: str, args: Args, kwargs: dict[str, Any]) -> Any:
    """Call a method of a container of Python's that no derived class has replaced."""
    kind = containers.kind_of(container)
    if name in containers.PYTHONS and not kwargs:
        return containers.PYTHONS[name](session, container, *args)
    if isinstance(container, dict):
        return _of_dict(session, container, name, args, kwargs)
    if name == "sort" and kind is list and not args:
        return _sort(session, container, kwargs)
    if name == "__init__":
        if kind is not tuple and (args or kwargs):
            (set.update if kind is set else kind.extend)(container, list(iteration.iterate(args[0])))
        return None
    if not kwargs:
        for names, how in _METHODS:
            if name in names.get(kind, ()):
                return how(session, container, kind, name, args)
    raise session.refusal(f"it calls {kind.__name__}.{name}")


def _place(
    kind: Any, name: str, values: Sequence[Any], value: Any, start: object = 0, stop: object = None
) -> int:
    """Return where a value is first; Python's error where it is nowhere."""
    for n in range(len(values))[slice(*map(subscripts.index_of, (start, stop)))]:
        if operators.same(values[n], value):
            return n
    # Of an empty container it raises what it would of this one.
    getattr(kind, name)(kind(), value)
    raise AssertionError(name)


def _add(session: Session, container: object, kind: object, name: str, args: Args) -> Any:
    """Add something without looking at what is there."""
    if kind is set:
        iteration.key(*args)
        if not session.is_fresh(container) and session.was_read(container):
            session.whole(container)
    return session.mutate(container, getattr(kind, name), *args)


def extend(session: Session, container: object, kind: object, name: str, args: Args) -> None:
    """Add what other things hold."""
    take: Any = iteration.collected if kind is list else iteration.iterate
    for other in args:
        values = session.made(list(take(other)))
        if kind is set:
            for value in values:
                iteration.key(value)
        session.mutate(container, getattr(kind, name), values)


def _change(session: Session, container: Any, kind: Any, name: str, args: Args) -> Any:
    """Change what is there by what is there."""
    session.whole(container)
    if name in ("insert", "pop", "rotate") and args:
        args = (subscripts.index_of(args[0]), *args[1:])
    if name == "remove" and not _is_plain(container, args):
        place = _place(kind, name, tuple(containers.values_of(container)), *args)
        return session.mutate(container, kind.__delitem__, place)
    return session.mutate(container, getattr(kind, name), *args)


def _sort(session: Session, container: object, kwargs: dict[str, Any]) -> None:
    session.whole(container)
    # It sorts what is there, whatever the methods of a derived class are.
    with session.untold(container, "it looks at a list that is being sorted"):
        ordered = calls.call(sorted, (session.made(list(containers.values_of(container))),), kwargs)
    session.mutate(container, list.__setitem__, slice(None), ordered)


def _read(session: Session, container: object, kind: object, name: str, args: Args) -> Any:
    """Run a method that reads a container and changes nothing."""
    session.whole(container)
    others = []
    for value in args:
        if containers.is_container(value):
            session.whole(value)
        elif kind in (set, frozenset) and not operators.is_plain(value):
            value = set(iteration.iterate(value))
        others.append(value)
    if name in ("count", "index") and not _is_plain(container, args):
        values = tuple(containers.values_of(container))
        if name == "count":
            return sum(operators.same(v, *args) for v in values)
        return _place(kind, name, values, *args)
    result = getattr(kind, name)(container, *others)
    is_new = containers.is_container(result) or type(result) in containers.ITERATORS
    return session.made(result) if is_new else result


def _compare(session: Session, container: object, kind: object, name: str, args: Args) -> Any:
    (other,) = args
    session.whole(container)
    if containers.is_container(other):
        session.whole(other)
    if kind in (list, tuple):
        if not isinstance(other, kind):
            return NotImplemented
        within = tuple(containers.values_of(other))
    else:
        within = args
    if _is_plain(container, within):
        return getattr(kind, name)(container, other)
    return operators.sequences_compared(session, _SIGNS[name], container, other)


def _is_plain(container: object, others: Iterable[Any]) -> bool:
    """Return whether what a container and something else hold is compared without any of the user's code."""
    return all(map(operators.is_plain, (*containers.values_of(container), *others)))


_ALGEBRA = {
    "copy", "difference", "intersection", "union", "symmetric_difference", "isdisjoint", "issubset",
    "issuperset",
}  # fmt: skip
_SIGNS = {f"__{name}__": sign for sign, name in COMPARISONS.items()}

#: Methods by class, and what does them.
_METHODS: tuple[tuple[Mapping[Any, Set[str]], Callable[..., Any]], ...] = (
    ({list: {"append"}, deque: {"append", "appendleft"}, set: {"add", "discard"}}, _add),
    ({list: {"extend"}, deque: {"extend", "extendleft"}, set: {"update"}}, extend),
    ({
        list: {"insert", "pop", "remove", "clear", "reverse"},
        deque: {"insert", "pop", "popleft", "remove", "clear", "reverse", "rotate"},
        set: {"remove", "pop", "clear"},
    }, _change),
    ({
        list: {"copy", "count", "index", "__reversed__"}, tuple: {"count", "index"}, set: _ALGEBRA,
        frozenset: _ALGEBRA, deque: {"copy", "count", "index", "__reversed__"},
    }, _read),
    (dict.fromkeys((list, tuple, set, frozenset, deque), frozenset(_SIGNS)), _compare),
)  # fmt: skip


# --- dicts --------------------------------------------------------------------------------------------------


def _of_dict(
    session: Session, container: dict[Any, Any], name: str, args: Args, kwargs: dict[str, Any]
) -> Any:
    kind = containers.kind_of(container)
    if name == "get" and not kwargs:
        value = session.dict_item(container, iteration.key(args[0]))
        return (args[1] if len(args) > 1 else None) if value is ABSENT else value
    if name in ("keys", "values", "items"):
        (containers.follow_keys if name == "keys" else Session.whole_dict)(session, container)
        return session.made(getattr(kind, name)(container))
    if name == "setdefault" and not kwargs:
        value = session.dict_item(container, iteration.key(args[0]))
        if value is ABSENT:
            value = args[1] if len(args) > 1 else None
            _put(session, container, args[0], value)
        return value
    if name == "pop" and not kwargs:
        value = containers.take_out(session, container, args[0])
        if value is ABSENT and len(args) < 2:
            raise KeyError(args[0])
        return args[1] if value is ABSENT else value
    if name in ("update", "__init__"):
        others = [iteration.mapping_or_pairs(other) for other in args]
        for other in [*others, kwargs]:
            for each, value in other.items():
                _put(session, container, each, value)
        return None
    if name in ("clear", "popitem", "move_to_end"):
        session.whole_dict(container)
        how = getattr(kind, name)
        return session.mutate(container, functools.partial(how, **kwargs) if kwargs else how, *args)
    if name in ("copy", "__copy__") and type(container) in containers.EXACT:
        session.whole_dict(container)
        return session.made(container.copy())
    if name == "__reversed__":
        session.dict_keys(container)
        return kind.__reversed__(container)
    raise session.refusal(f"it calls dict.{name}")


def _put(session: Session, container: dict[Any, Any], key: object, value: object) -> None:
    """Assign an item as methods of ``dict`` do: those of ``OrderedDict`` ask a derived class."""
    if isinstance(container, OrderedDict):
        containers.set_item(session, container, key, value)
    else:
        iteration.key(key)
        session.write_item(container, key, value)
