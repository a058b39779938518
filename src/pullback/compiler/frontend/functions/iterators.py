"""Rules of functions that make or consume iterators, of ``itertools`` and of ``operator``."""

import builtins
import collections
import functools
import heapq
import itertools
import math
import operator
from collections import OrderedDict, defaultdict, deque
from types import FunctionType, GeneratorType
from typing import Any

from ....core.value import TensorBase
from ..bytecode.hooks import COMPARISONS, HOOKS, OPERATORS, operator_function
from ..operations import attributes, calls, containers, iteration, operators, subscripts
from ..state.deferred import Deferred
from ..state.guards import ABSENT, SCALARS
from ..state.number_kinds import kind_of
from ..state.session import Session
from . import builtin_functions
from .rules import rule


@rule(builtins.iter)
def _iter(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) == 2:
        def walk() -> Any:
            while True:
                value = calls.call(args[0], ())
                if operators.truth(HOOKS.compare["=="](value, args[1])):
                    return
                yield value

        return session.made(walk())
    method = session.lookup(type(args[0]), "__iter__")
    if type(method) is FunctionType and not isinstance(args[0], TensorBase):
        session.typed(args[0])
        found = calls.call_function(session, method, (args[0],), {})
        if session.lookup(type(found), "__next__") is ABSENT:
            raise TypeError(f"iter() returned non-iterator of type '{type(found).__name__}'")
        return found
    found = iteration.iterate(args[0])
    return session.made(found) if not session.is_fresh(found) else found


@rule(builtins.next)
def _next(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    thing, *default = args
    if session.is_fresh(thing) and (type(thing) in containers.ITERATORS or type(thing) is GeneratorType):
        return next(thing, *default)
    session.typed(thing)
    method = session.lookup(type(thing), "__next__")
    if type(method) is not FunctionType:
        if method is ABSENT:
            return next(thing)
        raise session.refusal("it goes on with an iterator that was there before")
    try:
        return calls.call_function(session, method, (thing,), {})
    except StopIteration:
        if not default:
            raise
        return default[0]


@rule(enumerate)
def _enumerate(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    thing, *start = args
    start = [operators._known(s) for s in (*start, *kwargs.values())]
    return session.made(enumerate(iteration.iterate(thing), *start))


rule(zip, itertools.zip_longest, itertools.pairwise, itertools.cycle)(
    lambda session, f, args, kwargs: session.made(f(*map(iteration.iterate, args), **kwargs))
)


@rule(map)
def _map(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    function, *things = args
    walks = [iteration.iterate(thing) for thing in things]
    return session.made(map(lambda *values: calls.call(function, values), *walks))


@rule(filter, itertools.filterfalse, itertools.takewhile, itertools.dropwhile)
def _filter(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    function, thing = args
    asks_itself = function is None and f in (filter, itertools.filterfalse)

    def holds(value: object) -> bool:
        return operators.truth(value if asks_itself else calls.call(function, (value,)))

    return session.made(f(holds, iteration.iterate(thing)))


@rule(reversed)
def _reversed(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    (thing,) = args
    method = session.lookup(type(thing), "__reversed__")
    if type(method) is FunctionType:
        return calls.call_function(session, method, (thing,), {})
    if isinstance(thing, dict) or containers.is_view(thing):
        return session.made(reversed(list(iteration.iterate(thing))))
    if containers.is_container(thing):
        session.whole(thing)
        return session.made(reversed(thing))
    if isinstance(thing, (str, range, TensorBase)):
        return session.made(reversed(thing))  # type: ignore[arg-type]  # tensors have a length
    count = builtin_functions._len(session, len, (thing,), {})
    return session.made(reversed([subscripts.load_item(thing, n) for n in range(count)]))


@rule(builtins.any, builtins.all)
def _any(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if isinstance(args[0], TensorBase):
        return f(args[0])
    for value in iteration.iterate(args[0]):
        if operators.truth(value) is (f is any):
            return f is any
    return f is not any


@rule(builtins.sum)
def _sum(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    thing, *start = args
    total = start[0] if start else kwargs.get("start", 0)
    if isinstance(total, (str, bytes, bytearray)):
        return sum((), total)
    values = list(iteration.iterate(thing))
    if all(type(v) in (int, float, bool) for v in values) and type(total) in (int, float):
        # Python adds floats up with a correction (3.12).
        return sum(values, total)
    for value in values:
        total = HOOKS.binary["+"](total, value)
    return total


@rule(math.fsum, math.prod)
def _fsum(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    values = list(iteration.iterate(args[0]))
    if not all(type(v) in (int, float, bool) for v in values):
        if f is math.prod:
            return functools.reduce(HOOKS.binary["*"], values, kwargs.get("start", 1))
        raise session.refusal("it passes something other than numbers to math.fsum")
    return f(values, *args[1:], **kwargs)


@rule(builtins.min, builtins.max)
def _min(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    values = list(iteration.iterate(args[0])) if len(args) == 1 else list(args)
    if not values:
        if "default" in kwargs:
            return kwargs["default"]
        return f(values)
    key = kwargs.get("key")
    keys = values if key is None else [calls.call(key, (v,)) for v in values]
    sign = "<" if f is min else ">"
    best = 0
    if any(isinstance(k, Deferred) for k in keys):
        if key is None and all(isinstance(k, Deferred) or type(k) in SCALARS for k in keys):
            kinds = {kind_of(k) for k in keys}
            return operators.deferred(session, f, tuple(keys), kinds.pop() if len(kinds) == 1 else object)
    for n in range(1, len(values)):
        if operators.truth(HOOKS.compare[sign](keys[n], keys[best])):
            best = n
    return values[best]


@rule(builtins.sorted)
def _sorted(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    values = iteration.collected(args[0])
    key = kwargs.get("key")
    keys = values if key is None else [calls.call(key, (v,)) for v in values]
    for each in keys:
        if containers.is_container(each):
            session.whole(each)
    if not all(
        (operators.is_plain(k) and not isinstance(k, TensorBase)) or (type(k) is KEY and session.is_fresh(k))
        for k in keys
    ):
        # Python's sort asks for nothing but what is less.
        is_less = HOOKS.compare["<"]
        ordered = functools.cmp_to_key(lambda a, b: -operators.truth(is_less(a, b)))
        keys = list(map(ordered, keys))
    order = sorted(range(len(values)), key=keys.__getitem__, reverse=bool(kwargs.get("reverse", False)))
    return session.made([values[n] for n in order])


#: What `functools.cmp_to_key` makes.
KEY: Any = type(functools.cmp_to_key(lambda a, b: 0))


@rule(functools.cmp_to_key)
def _cmp_to_key(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    (function,) = (*args, *kwargs.values())
    return session.made(f(lambda a, b: operators._known(calls.call(function, (a, b)))))


@rule(functools.reduce)
def _reduce(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    function, thing, *start = args
    walk = iteration.iterate(thing)
    total = start[0] if start else next(walk, ABSENT)
    if total is ABSENT:
        raise TypeError("reduce() of empty iterable with no initial value")
    for value in walk:
        total = calls.call(function, (total, value))
    return total


@rule(itertools.starmap)
def _starmap(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    function, thing = args
    return session.made(
        calls.call(function, tuple(iteration.iterate(values))) for values in iteration.iterate(thing)
    )


@rule(itertools.count)
def _count(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    args = tuple(map(operators._known, args))
    kwargs = {name: operators._known(value) for name, value in kwargs.items()}
    if not all(type(value) in (int, float) for value in (*args, *kwargs.values())):
        raise session.refusal("it counts in something other than numbers")
    return session.made(f(*args, **kwargs))


@rule(itertools.accumulate)
def _accumulate(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    thing, *function = args
    add = function[0] if function else kwargs.get("func")
    how = HOOKS.binary["+"] if add is None else lambda a, b: calls.call(add, (a, b))
    initial = {"initial": kwargs["initial"]} if "initial" in kwargs else {}
    return session.made(f(iteration.iterate(thing), how, **initial))


@rule(itertools.groupby)
def _groupby(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    thing, *function = args
    key = function[0] if function else kwargs.get("key")
    if type(thing) not in (list, tuple, str):
        # It would be gone through earlier than the groups are asked for.
        raise session.refusal("it groups what is no list")
    values = list(iteration.iterate(thing))
    keys = values if key is None else [calls.call(key, (value,)) for value in values]
    if not all(map(operators.is_plain, keys)):
        raise session.refusal("it groups by values that are not known")
    found = f(range(len(values)), keys.__getitem__)
    return session.made((at, session.made(iter([values[n] for n in group]))) for at, group in found)


@rule(itertools.compress)
def _compress(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    data, selectors = (*args, *kwargs.values())
    marks = iteration.iterate(selectors)
    return session.made(f(iteration.iterate(data), (operators.truth(mark) for mark in marks)))


@rule(heapq.heappush, heapq.heappop, heapq.heapify, heapq.heapreplace, heapq.heappushpop)
def _heap(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    held, *values = args
    if type(held) is not list:
        raise session.refusal(f"it makes a heap of a {type(held).__name__}")
    session.whole(held)
    values = [operators._known(value) for value in values]
    if not all(operators.is_plain(v) and not builtin_functions._holds_tensor(v) for v in (*held, *values)):
        raise session.refusal("it makes a heap of objects with comparisons of their own")
    return session.mutate(held, f, *values)


@rule(collections._count_elements)  # type: ignore[attr-defined]  # which Counter calls
def _count_elements(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    counts, thing = args
    for each in iteration.iterate(thing):
        get = attributes.load_attribute(counts, "get")
        containers.set_item(session, counts, each, HOOKS.binary["+"](calls.call(get, (each, 0)), 1))


@rule(itertools.chain, itertools.islice, itertools.product, itertools.combinations, itertools.permutations,
      itertools.combinations_with_replacement, itertools.repeat)  # fmt: skip
def _itertools(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    kwargs = _all_known(kwargs)
    if f is itertools.repeat:
        thing, *times = args
        if not times and not kwargs:
            raise builtin_functions.refuse(session, f)
        values: Any = [thing] * (operators._known(times[0]) if times else kwargs["times"])
    elif f in (
        itertools.islice, itertools.combinations, itertools.permutations,
        itertools.combinations_with_replacement,
    ):  # fmt: skip
        if f is itertools.islice:
            values = f(iteration.iterate(args[0]), *map(operators._known, args[1:]))
            return session.made(part for part in values)
        values = list(f(list(iteration.iterate(args[0])), *map(operators._known, args[1:]), **kwargs))
    elif f is itertools.chain:
        return session.made(part for thing in args for part in iteration.iterate(thing))
    else:
        values = list(f(*(list(iteration.iterate(thing)) for thing in args), **kwargs))
    return session.made(iter(values))


@rule(list, tuple, set, frozenset, deque)
def _collect(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    take = iteration.collected if f in (list, tuple) else iteration.iterate
    values = take(args[0]) if args else ()
    if f in (set, frozenset):
        values = [iteration.key(v) for v in values]
    return session.made(f(values, *map(operators._known, args[1:]), **_all_known(kwargs)))


def _all_known(values: dict[str, Any]) -> dict[str, Any]:
    """Return arguments that a function in C reads at once."""
    return {name: operators._known(value) for name, value in values.items()}


@rule(dict, OrderedDict)
def _dict(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    made = session.made(f())
    for other in args:
        for key, value in iteration.mapping_or_pairs(other).items():
            made[key] = value
    made.update(kwargs)
    return made


@rule(defaultdict)
def _defaultdict(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    factory, *others = args or (None,)
    return session.made(defaultdict(factory, _dict(session, dict, tuple(others), kwargs)))


# --- operator -----------------------------------------------------------------------------------------------


for _sign, _name in OPERATORS.items():
    _function = operator_function(_name)
    rule(_function)(lambda s, f, args, kwargs, sign=_sign: HOOKS.binary[sign](*args))  # type: ignore[misc]
    rule(getattr(operator, f"i{_name}"))(
        lambda s, f, args, kwargs, sign=_sign: HOOKS.binary[f"{sign}="](*args)  # type: ignore[misc]
    )
for _sign, _name in COMPARISONS.items():
    rule(getattr(operator, _name))(
        lambda s, f, args, kwargs, sign=_sign: HOOKS.compare[sign](*args)  # type: ignore[misc]
    )
rule(operator.neg)(lambda s, f, args, kwargs: HOOKS.unary["UNARY_NEGATIVE"](*args))
rule(operator.truth)(lambda s, f, args, kwargs: operators.truth(*args))
rule(operator.not_)(lambda s, f, args, kwargs: operators.not_(*args))
rule(operator.getitem)(lambda s, f, args, kwargs: subscripts.load_item(*args))
rule(operator.setitem)(lambda s, f, args, kwargs: subscripts.store_item((args[2], args[0], args[1])))
rule(operator.contains)(lambda s, f, args, kwargs: operators.contains(args[1], args[0]))
rule(operator.is_)(lambda s, f, args, kwargs: operators.is_(*args))
rule(operator.is_not)(lambda s, f, args, kwargs: operators.is_not(*args))


def call_getter(session: Session, f: Any, args: tuple[Any, ...]) -> Any:
    """Call an object of `operator.attrgetter` and its like."""
    (thing,) = args
    kind, names, *_ = f.__reduce__()
    if type(f) is operator.methodcaller:
        kwargs: dict[str, Any] = {}
        if isinstance(kind, functools.partial):
            kwargs = kind.keywords
            names = (*kind.args[:1], *names) if kind.args else names
        name, *values = names
        return calls.call(attributes.load_attribute(thing, name), tuple(values), kwargs)

    def one(name: Any) -> Any:
        if type(f) is operator.itemgetter:
            return subscripts.load_item(thing, name)
        found = thing
        for part in name.split("."):
            found = attributes.load_attribute(found, part)
        return found

    return one(names[0]) if len(names) == 1 else tuple(map(one, names))
