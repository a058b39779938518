"""Calls of functions that `functools.lru_cache` keeps the answers of.

What such a call does is decided by its cache. A kept answer is a value of the user's that stands in a dict,
under a key that the arguments make. The trace reads it there, and each call asks the function again after its
program: so counts and the order of use are those of eager code. An answer that is not kept yet is computed by
this call, which runs eagerly.
"""

from __future__ import annotations

import ctypes
import functools
import gc
from typing import Any

from ....core.size import Size
from ....core.value import TensorBase
from ...runtime.object_layout import words
from ..operations import operators
from ..state.guards import _WORD, ABSENT, Guard
from ..state.session import Session
from ..unsupported import OnlyNow

#: The type of cached functions.
CACHED = functools._lru_cache_wrapper
_OBJECT: Any = object


def call(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the kept answer of a cached function."""
    args = tuple(map(operators._known, args))
    kwargs = {name: operators._known(value) for name, value in kwargs.items()}
    parameters = vars(f).get("cache_parameters")
    if parameters is None or not all(map(_is_key, (*args, *kwargs.values()))):
        raise session.refusal(f"it passes an object with a hash of its own to {f.__qualname__}, a cache")
    held = gc.get_referents(f)
    cache = [part for part in held if type(part) is dict and part is not vars(f)][-1]
    key = _key(held, args, kwargs, parameters()["typed"])
    hash(key)
    answer = session.dict_item(cache, key)
    if answer is ABSENT:
        raise session.refusal(f"the cache of {f.__qualname__} does not hold an answer yet", OnlyNow)
    session.effect(functools.partial(f, **kwargs) if kwargs else f, *args)
    if parameters()["maxsize"] is None:
        return answer
    # Where the cache is bounded, a link of a list holds the answer: the function refers to key, answer, type.
    link, stored = answer, next(other for other in cache if other == key)
    triples = zip(held, held[1:], held[2:], strict=False)
    answer = next(b for a, b, c in triples if a is stored and c is type(link))
    word = id(link) + type(link).__basicsize__ - _WORD
    if words(word, 1)[0] != id(answer):
        raise session.refusal(f"what the cache of {f.__qualname__} holds is not found")
    # The oldest link is given what is new once the cache is full: also its own key again, with a new answer.
    session.note(Guard(_answer_of, link, word, answer, word), (id(link), "answer"))
    return session.seen(answer)


def _answer_of(link: object, word: int) -> Any:
    """Return what a link holds, whose last word refers to it."""
    return ctypes.py_object.from_address(word).value


def _key(held: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any], typed: bool) -> Any:
    """Return the key of a call, as `functools` makes it."""
    if len(args) == 1 and not kwargs and not typed and type(args[0]) in (int, str):
        return args[0]
    key = args
    if kwargs:
        mark = [part for part in held if type(part) is object][-1]
        key = (*key, mark, *(part for item in kwargs.items() for part in item))
    return (*key, *map(type, args), *map(type, kwargs.values())) if typed else key


def _is_key(value: Any) -> bool:
    """Return whether a value is told from others by what it holds, or by what it is."""
    kind = type(value)
    if kind in (tuple, Size):
        return all(map(_is_key, value))
    by_identity = kind.__hash__ is _OBJECT.__hash__ and kind.__eq__ is _OBJECT.__eq__
    return not isinstance(value, TensorBase) and (by_identity or operators.is_plain(value))
