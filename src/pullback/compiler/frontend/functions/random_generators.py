"""Rules of the methods of Python's generators of random numbers that are written in Python."""

from __future__ import annotations

import random
from types import FunctionType
from typing import Any

from ..operations import containers, subscripts
from ..operations.calls import call_user
from ..state.draws import OF_RANDOM, draw
from ..state.session import Session
from .rules import rule

_METHODS = [method for name in OF_RANDOM if type(method := vars(random.Random).get(name)) is FunctionType]


@rule(*_METHODS)
def _of_random(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    generator, *rest = args
    if type(generator) is not random.Random:
        return call_user(session, f, args, kwargs)
    return draw(session, f.__get__(generator), generator, tuple(rest), kwargs)


#: Of more things than this a choice has too many programs.
_FEW = 8


@rule(random.Random.choice)
def _choice(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    generator: Any = args[0]
    rest = args[1:]
    among: Any = rest[0] if len(rest) == 1 and not kwargs else None
    kind = type(generator)
    if kind is not random.Random or type(among) not in (list, tuple):
        return call_user(session, f, args, kwargs)
    count = containers.length(session, among) if type(among) is list else len(among)
    if type(count) is not int or not 0 < count <= _FEW:
        raise session.refusal("it chooses among too many things")
    place = draw(session, generator._randbelow, generator, (count,), {})
    return subscripts.load_item(among, place.known())
