"""Modules of machine code that programs call: kernels that were compiled apart, and mathematical functions.

A module has a name that follows from what it is, and its entry in the cache is found by that name: a process
that runs what an earlier one has compiled neither writes such a module's text nor imports what would. A
module is loaded once, and stays while somebody holds it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple
from weakref import WeakValueDictionary

from . import cache
from .llvm import engine
from .llvm.codegen import Effort
from .llvm.pool import PARALLEL, pool

_PREFIX = "pullback_apart_"
#: A module's name, and which of its functions it is: ``part`` where nothing else is said.
_SYMBOL = re.compile(rf"({_PREFIX}[0-9a-f]{{24}})(?:_(\w+))?")

_loaded: WeakValueDictionary[str, engine.Library] = WeakValueDictionary()


class Found(NamedTuple):
    """Functions that machine code calls.

    Attributes
    ----------
    addresses : dict of str to int
    libraries : list of Library
        What they are in, to be held while they may be called.
    """

    addresses: dict[str, int]
    libraries: list[engine.Library]


def name_of(text: str) -> str:
    """A name unique to a module's text, or to what else says what it is."""
    return _PREFIX + hashlib.sha256(text.encode()).hexdigest()[:24]


def library(name: str, write: Callable[[], str], effort: Effort) -> engine.Library:
    """The module of a name: at hand, from the cache, or compiled and kept there."""
    found = _loaded.get(name)
    if found is None:
        found = _loaded[name] = engine.Library(engine.named(_entry(name), write, effort), {})
    return found


def are_lasting(symbols: Iterable[str]) -> bool:
    """Whether another process finds functions by these names alone."""
    return all(symbol == PARALLEL or _SYMBOL.fullmatch(symbol) for symbol in symbols)


def found(symbols: Iterable[str]) -> Found | None:
    """Functions by their names; None where one is in no module that is at hand or in the cache."""
    addresses: dict[str, int] = {}
    libraries: dict[str, engine.Library] = {}
    for symbol in symbols:
        if symbol == PARALLEL:
            addresses[symbol] = pool().address
            continue
        match = _SYMBOL.fullmatch(symbol)
        name = "" if match is None else match[1]
        module = libraries.get(name) or _known(name)
        if match is None or module is None:
            return None
        libraries[name] = module
        addresses[symbol] = module.address(match[2] or "part")
    return Found(addresses, [*libraries.values()])


def _known(name: str) -> engine.Library | None:
    found = _loaded.get(name)
    if found is None:
        code = engine.found_as(_entry(name))
        if code is not None:
            found = _loaded[name] = engine.Library(code, {})
    return found


def _entry(name: str) -> str:
    return cache.key("part", engine.attributes(), name)
