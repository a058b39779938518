"""Modules of machine code that programs call: kernels that were compiled apart, and mathematical functions.

A module has a name that follows from what it is, and its entry in the cache is found by that name: a process
that runs what an earlier one has compiled neither writes such a module's text nor imports what would. A
module is loaded once, and stays while it is held.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from weakref import WeakValueDictionary

from ...array import locks
from ...array.named_tuples import NamedTuple
from ..emit.codegen import Code, Effort
from ..program.digests import blake2b
from . import cache, engine
from .thread_pool import PARALLEL, pool

_PREFIX = "pullback_apart_"
#: A module's name, and which of its functions it is.
_SYMBOL = re.compile(rf"({_PREFIX}[0-9a-f]{{24}})(?:_\w+)?")
#: The functions of a module that others may call.
_DEFINED = re.compile(r"^define void @(\w+)\(", re.MULTILINE)

_loaded: WeakValueDictionary[str, engine.Library] = WeakValueDictionary()
_loading = locks.reentrant_lock()


class Found(NamedTuple):
    """Functions that machine code calls."""

    addresses: dict[str, int]
    #: What they are in, to be held while they may be called.
    libraries: list[engine.Library]


def name_of(text: str) -> str:
    """Return a name unique to a module's text, or to what else says what it is."""
    return _PREFIX + blake2b(text.encode(), digest_size=12).hexdigest()


def symbol_of(name: str, function: str = "part") -> str:
    """Return the name by which programs, and the library of a module, know a function of its text."""
    return name if function == "part" else f"{name}_{function}"


def library(name: str, write: Callable[[], str], effort: Effort) -> engine.Library:
    """Return the module of a name: at hand, from the cache, or compiled and kept there."""

    def published() -> str:
        text = write()
        # Modules are loaded together, so what others may call has a name of its own.
        for function in _DEFINED.findall(text):
            text = text.replace(f"@{function}(", f"@{symbol_of(name, function)}(")
        return text

    with _loading:  # of two, one would be freed with functions that its thread goes on to call
        found = _loaded.get(name)
        if found is None:
            found = _loaded[name] = engine.Library(engine.named(_entry(name), published, effort), {})
    return found


def are_lasting(symbols: Iterable[str]) -> bool:
    """Return whether another process finds functions by these names alone."""
    return all(symbol == PARALLEL or _SYMBOL.fullmatch(symbol) for symbol in symbols)


def objects_of(symbols: Iterable[str]) -> list[bytes]:
    """Return the object files of modules that are at hand, by the names of their functions."""
    names = dict.fromkeys(match[1] for symbol in symbols if (match := _SYMBOL.fullmatch(symbol)))
    codes = dict.fromkeys(_loaded[name].code for name in names)
    return [content for code in codes for content in code.objects]


def found(symbols: Iterable[str]) -> Found | None:
    """Return functions by their names; None where one is in no module that is at hand or in the cache."""
    symbols = set(symbols)
    addresses = {PARALLEL: pool().address} if PARALLEL in symbols else {}
    symbols -= addresses.keys()
    names = {symbol: match[1] for symbol in symbols if (match := _SYMBOL.fullmatch(symbol))}
    libraries = {name: library for name in names.values() if (library := _loaded.get(name)) is not None}
    codes = {name: engine.found_as(_entry(name)) for name in names.values() if name not in libraries}
    objects = [o for code in codes.values() if code is not None for o in code.objects]
    if len(names) < len(symbols) or None in codes.values():
        return None
    if objects:
        # As one library they are loaded in the time of one.
        together = engine.Library(Code(tuple(objects), ()), {})
        libraries |= dict.fromkeys(codes, together)
        _loaded.update(dict.fromkeys(codes, together))
    addresses |= {symbol: libraries[name].address(symbol) for symbol, name in names.items()}
    return Found(addresses, [*libraries.values()])


def _entry(name: str) -> str:
    return cache.key("part", engine.attributes(), name)
