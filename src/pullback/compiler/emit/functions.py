"""Mathematical functions for native code: compiled on first use, once per process, each for several widths.

A program's module only declares a scalar function and, as its vector variants, the same function of vectors
as wide as the processor's registers; LLVM's vectoriser calls these. A variant is free to branch on whether
any of its lanes needs the C library, which a loop's body could not do and still be vectorised, and a
function's text is compiled once, not once per place that calls it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from ...array.tiering import NotYet
from ..runtime import cache, engine
from .codegen import WRITTEN, Code

if TYPE_CHECKING:
    from .emitter import Module

_TWO_OPERANDS = frozenset({"pow", "atan2", "hypot", "fmod"})
PREFIX = "pullback_"
#: Addresses of what has been compiled, by symbol, and the libraries that hold it.
_addresses: dict[str, int] = {}
_libraries: list[engine.Library] = []


def arity(name: str) -> int:
    """Return how many operands a function has."""
    return 2 if name in _TWO_OPERANDS else 1


@functools.cache
def widths(real: str) -> tuple[int, ...]:
    """Return lanes of the vector variants: a register's numbers, and as many wider ones beside them."""
    size = engine.register_bytes()
    return (size // 4, size // 8) if real == "float" else (size // 8,)


def variant(symbol: str, lanes: int) -> str:
    """Return the name of a function of vectors."""
    return f"{PREFIX}{symbol}_{lanes}"


def declarations(module: Module, inline: bool = False) -> list[str]:
    """Return the text by which a module knows the functions that it asked for; those of vectors that have no
    branches may be written there for loops to `inline`.
    """
    lines, kept = [], []
    for symbol in module.functions:
        name, real = symbol.rsplit("_", 1)
        count = arity(name)
        variants = []
        for lanes in widths(real):
            vector = variant(symbol, lanes)
            type_ = f"<{lanes} x {real}>"
            body = _body(vector, module) if inline else None
            declared = f"declare {type_} @{vector}({', '.join([type_] * count)}) memory(none) nounwind #0"
            lines.append(body or declared)
            variants.append(f"_ZGV_LLVM_N{lanes}{'v' * count}_{PREFIX}{symbol}({vector})")
            kept.append(f"ptr @{vector}")
        mapping = ",".join(variants)
        lines.append(
            f"declare {real} @{PREFIX}{symbol}({', '.join([real] * count)}) memory(none) nounwind willreturn "
            f'#0 "vector-function-abi-variant"="{mapping}"'
        )
    if kept:
        lines.append(
            f"@llvm.compiler.used = appending global [{len(kept)} x ptr] [{', '.join(kept)}], "
            'section "llvm.metadata"'
        )
    return lines


def addresses(symbols: Iterable[str]) -> dict[str, int]:
    """Return where the functions of these symbols lie; those that are not yet compiled are."""
    if missing := sorted(set(symbols) - _addresses.keys()):
        library = engine.Library(_code(missing), {})
        _libraries.append(library)
        for symbol in missing:
            _addresses[symbol] = library.address(symbol)
    return {symbol: _addresses[symbol] for symbol in symbols}


def _code(symbols: Sequence[str]) -> Callable[[], Code]:
    """Return what waits for the machine code of functions. Each is a module: what another process asks for
    together are others, by what it has loaded before.
    """
    parts, missing = [], None
    for symbol in symbols:
        write = functools.partial(_text, symbol)
        # What a symbol stands for follows from it and the processor: no text is written to find it.
        # The text is straight code of vectors already. With LLVM's passes 45 functions took 764 ms instead
        # of 475 to compile, gave the same bits, and took 1.01 times as long to call.
        name = cache.key("function", engine.attributes(), symbol)
        try:
            parts.append(engine.named(name, write, WRITTEN))
        except NotYet as reason:
            missing = reason
    if missing is not None:
        raise missing
    return lambda: Code(tuple(content for part in parts for content in part().objects), ())


def _body(symbol: str, module: Module) -> str | None:
    from .definitions import body

    return body(symbol, module.declarations)


def _text(symbol: str) -> str:
    from .definitions import text

    return text(symbol)
