"""The processor that native code is for, and the LLVM that makes it: known without loading LLVM.

LLVM takes 45 MB of a process when it is loaded and 20 more when it puts code into memory. A process that
finds what it runs in the cache needs neither, once an earlier one has kept there what LLVM says of the
processor.
"""

from __future__ import annotations

import functools
import sys

from ...array.named_tuples import NamedTuple
from ...array.tiering import waits
from ..program.digests import blake2b
from . import cache

#: What Linux says of a processor that changes from moment to moment.
_VARYING = ("cpu MHz", "bogomips", "BogoMIPS")


class Machine(NamedTuple):
    """The processor and the compiler that native code depends on."""

    #: Of the processor, as LLVM calls them.
    name: str
    features: str
    #: The version of LLVM and the system that it compiles for.
    compiler: str


@functools.cache
def machine() -> Machine:
    """Return what native code depends on in this process."""
    entry, found = _kept()
    if found is None:
        if waits.get() and "llvmlite.binding" not in sys.modules:
            from .helper_processes import made_apart

            return Machine(*made_apart(entry or "", lambda: "", None)().called)
        from .helper_processes import surroundings

        found = Machine(*surroundings())
        if entry is not None:
            cache.write(entry, found, b"")
    return found


def is_known() -> bool:
    """Return whether the processor can be told without loading LLVM."""
    asked = machine.cache_info().currsize or "llvmlite.binding" in sys.modules
    return bool(asked) or _kept()[1] is not None


def _kept() -> tuple[str | None, Machine | None]:
    """Return the name of the cache's entry, and what an earlier process has kept there."""
    entry = None if "llvmlite.binding" in sys.modules else _entry()
    if entry is None:
        return None, None
    return entry, cache.made_of(entry, lambda told, content: Machine(*map(str, told)))


@functools.cache
def _entry() -> str | None:
    """Return the name of the cache's entry; None where the system does not describe the processor."""
    import llvmlite

    try:
        with open("/proc/cpuinfo", errors="replace") as file:
            first, _, _ = file.read().partition("\n\n")
    except OSError:
        return None
    lines = [line for line in first.splitlines() if not line.startswith(_VARYING)]
    about = repr((llvmlite.__version__, llvmlite.__file__, sys.platform, lines))
    return f"processor-{blake2b(about.encode(), digest_size=20).hexdigest()}"


def features() -> frozenset[str]:
    """Return the names of what the processor has."""
    return frozenset(name[1:] for name in machine().features.split(",") if name.startswith("+"))
