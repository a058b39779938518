"""Rules of generators of random numbers: Python's methods written in Python, and seeds of torch's."""

import inspect
import random
from types import FunctionType
from typing import Any

import numpy as np

from ....array import random as streams
from ....core.tracer import traced
from ....ops.random import reseed
from ....tensor.random import Generator, default_generator, manual_seed
from ..operations import containers, subscripts
from ..operations.calls import call, call_user
from ..state.deferred import Deferred
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


# --- torch's ------------------------------------------------------------------------------------------------


@rule(manual_seed)
def _seed_default(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    (number,) = inspect.signature(f).bind(*args, **kwargs).args
    return _begin(session, default_generator, call(int, (number,)))


@rule(streams.Generator.manual_seed)
def _seed(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    generator, number = inspect.signature(f).bind(*args, **kwargs).args
    return _begin(session, generator, number)


@rule(Generator)
def _make(session: Session, cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make one generator for all calls of the program, each of which seeds it as a new one is."""
    return _begin(session, session.made(cls(*args, **kwargs)), streams.DEFAULT_SEED)


def _begin(session: Session, generator: object, number: Any) -> Any:
    """Have the program begin a stream where it stands among the draws; return the generator."""
    later = isinstance(number, Deferred)
    seed = session.number(number, np.dtype(np.int64)) if later and number.kind is int else None
    if seed is None:
        known = streams.check_seed(number.known() if later else number)
        seed = traced(np.array(known, np.uint64).view(np.int64))
    reseed(seed, session.stream(generator))
    return generator
