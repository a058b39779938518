"""Put the texts of LLVM modules together, have them compiled, and load the machine code into memory."""

from __future__ import annotations

import functools
import struct
import sys
from collections.abc import Callable, Iterable
from typing import Any

from ...array import large, locks
from ...array.tiering import waits
from ..emit import python_functions
from ..emit.codegen import Code, Effort, machine, module, target
from ..emit.restricted_python import Program
from . import cache, linked_code, processor

#: How much LLVM optimizes a text that holds both loops and straight code.
DEFAULT = Effort()


@functools.cache
def attributes() -> str:
    """Return attributes of every function: the processor, so that loops use its widest registers."""
    name, available, _ = processor.machine()
    return (
        f'attributes #0 = {{ "target-cpu"="{name}" "target-features"="{available}" '
        '"prefer-vector-width"="512" "no-trapping-math"="true" }'
    )


def whole(*texts: Iterable[str]) -> str:
    """Return the text of a module from its declarations and functions; loops may refer to group 0, and be of
    kind 1 (independent iterations of that group), 3 (not to be unrolled) or 5 (both).
    """
    return "\n".join(
        [
            *(line for text in texts for line in text), attributes(), "!0 = distinct !{}",
            '!1 = distinct !{!1, !2}\n!2 = !{!"llvm.loop.parallel_accesses", !0}',
            '!3 = distinct !{!3, !4}\n!4 = !{!"llvm.loop.unroll.disable"}',
            "!5 = distinct !{!5, !2, !4}",
        ]
    )


def _undefined(objects: Iterable[Any]) -> set[str]:
    """Return the names that machine code in 64-bit ELF calls and does not define; none of others."""
    called: set[str] = set()
    defined: set[str] = set()
    for held in objects:
        sections = {section.name(): section.data() for section in held.sections()}
        names = sections.get(b".strtab", b"")
        # The specification's Elf64_Sym: name, kind, visibility, section (0 is none), value, size.
        for at, _, _, section, _, _ in struct.iter_unpack("<IBBHQQ", sections.get(b".symtab", b"")):
            (defined if section else called).add(names[at : names.index(b"\0", at)].decode())
    return called - defined - {""}


@functools.cache
def machine_name() -> str:
    """Return a text that names the version of LLVM and the processor that it compiles for."""
    return f"{processor.machine().compiler} {attributes()}"


@functools.cache
def register_bytes() -> int:
    """Return how wide the processor's widest vector register is."""
    features = processor.features()
    return 64 if "avx512f" in features else 32 if "avx" in features else 16


@functools.cache
def fused() -> bool:
    """Return whether the processor has fused multiply-adds."""
    return not processor.features().isdisjoint(("fma", "neon", "fp-armv8"))


def started(text: str, effort: Effort, helpers: int = 0) -> Callable[[], Code]:
    """Begin to compile a module's text, or find it on disk; return what waits for the machine code."""
    return named(cache.key_of_text(repr(effort), text), lambda: text, effort, helpers)


def named(
    name: str, write: Callable[[], str], effort: Effort, helpers: int = 0, first: Effort | None = None
) -> Callable[[], Code]:  # fmt: skip
    """Return `started` for a text that is written only where it is compiled; `name` is its key in the cache.
    Another process that eager calls do not wait for compiles it with the effort `first` at first.

    Raises `NotYet` where it is not on disk, and who asks does without it for now (`array.tiering`).
    """
    known = found_as(name)
    if known is not None:
        return lambda: known
    from . import helper_processes  # what runs machine code from disk needs none

    if waits.get():
        return helper_processes.made_apart(name, write, effort, first)
    helper_processes.summon(helpers)
    result = helper_processes.submitted(write(), effort)

    def kept() -> Code:
        code = result()
        cache.write(name, code.called, code.objects[0])
        return code

    return kept


def found_as(name: str) -> Code | None:
    """Return what an earlier process kept under a name; None where there is nothing."""
    return cache.made_of(name, lambda called, content: Code((content,), tuple(map(str, called))))


#: Addresses of functions that modules may call and the process does not export.
_known: dict[str, int] = {}


class _Engine:
    """Machine code that LLVM puts into memory: where `linked_code` does not know the kind of object file."""

    def __init__(self, objects: Iterable[bytes]) -> None:
        import llvmlite.binding as llvm

        for name, address in dict(_known).items():
            llvm.add_symbol(name, address)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine())
        files = [llvm.ObjectFileRef.from_data(content) for content in objects]
        # What LLVM does not find is called at address 0.
        if missing := [name for name in _undefined(files) if not llvm.address_of_symbol(name)]:
            raise RuntimeError(f"machine code calls {', '.join(missing)}, which no library here has")
        for held in files:
            self._engine.add_object_file(held)
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Return where a function or a variable lies."""
        return int(self._engine.get_function_address(name) or self._engine.get_global_value_address(name))

    def keep(self) -> None:
        """Let the code stay to the end of the process."""
        self._engine.detach()


class Library:
    """Machine code in memory, and the addresses of its functions.

    It is put into memory when the first address is asked for; until then it may still be compiled: the source
    is machine code, what waits for it, or LLVM's text. `symbols` are addresses of functions that the module
    calls and the process does not export; `resolve` gives those of the mathematical functions that are
    called.
    """

    def __init__(
        self, source: Code | Callable[[], Code] | str, symbols: dict[str, int],
        resolve: Callable[[Iterable[str]], dict[str, int]] | None = None, effort: Effort = DEFAULT,
    ) -> None:
        self.text = source if isinstance(source, str) else None
        self.effort = effort
        self._source = started(source, effort) if isinstance(source, str) else source
        self._symbols, self._resolve = symbols, resolve
        self._lock = locks.lock()
        self._memory: linked_code.Loaded | _Engine | None = None
        #: What functions may still be running of which there is better code.
        self._left: list[linked_code.Loaded | _Engine] = []

    @property
    def code(self) -> Code:
        """Return the machine code."""
        if not isinstance(self._source, Code):
            self._source = self._source()
        return self._source

    def _placed(self) -> linked_code.Loaded | _Engine:
        """Put the code into memory unless it is there; the lock is held, and holds up no other library: that
        another thread improves may be what has to happen before this one's code comes.
        """
        if self._memory is None:
            code = self.code
            _known.update(self._symbols)
            if self._resolve is not None:
                _known.update(self._resolve(code.called))
            try:
                self._memory = linked_code.Loaded(linked_code.linked(code.objects), _known)
            except (NotImplementedError, RuntimeError):
                self._memory = _Engine(code.objects)
        return self._memory

    def address(self, name: str) -> int:
        with self._lock:
            return self._placed().address(name)

    def improve(self, code: Code, names: Iterable[str]) -> dict[int, int]:
        """Take better machine code of the same text; return new addresses of functions by the old ones."""
        better = Library(code, self._symbols, self._resolve)._placed()
        with self._lock:
            before, self._memory = self._placed(), better
            self._left.append(before)
        return {before.address(name): better.address(name) for name in names}

    def keep(self) -> None:
        with self._lock:
            self._placed().keep()

    def assembly(self) -> str:
        """Return the machine's instructions, as text; the library must have been made from LLVM's text."""
        assert self.text is not None
        return str(target().emit_assembly(module(self.text, self.effort)))


def library(
    program: Program, effort: Effort = DEFAULT, helpers: int = 0, first: Effort | None = None,
    moved: Callable[[dict[int, int]], None] | None = None,
) -> Library:  # fmt: skip
    """Return native functions that call Python's, translated only where they are not on disk; see `named`.

    Where they were compiled with the effort `first`, ``moved(addresses)`` is called when there is better
    code, with the new addresses of the entries by the old ones.
    """
    symbols = python_functions.addresses() or {}
    copy = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1 immarg)"

    def text() -> str:
        return whole([python_functions.declarations(), copy, program.text()])

    key = cache.key_of_text(repr((effort, machine_name())), *program.key())
    made = Library(named(key, text, effort, helpers, first), symbols, effort=effort)
    # What was on disk needs no other process, and did not import this.
    if first and moved and (apart := sys.modules.get(f"{__package__}.helper_processes")):
        apart.when_better(key, lambda code: moved(made.improve(code, program.names)))
    return made


class _Refusing:
    """Stand for llvmlite's lock in a process that was forked from the middle of LLVM."""

    def acquire(self) -> None:
        """Refuse: LLVM would wait for a thread that this process does not have."""
        raise RuntimeError("another thread was inside LLVM when this process was forked")

    def release(self) -> None:
        """Do nothing: nobody can hold it."""


class _Forks:
    """Keep LLVM at rest while the process is forked, by llvmlite's own lock."""

    def __init__(self) -> None:
        self._lock: Any = None
        self._is_held = False

    def before(self) -> None:
        """Wait until no thread is inside LLVM: most calls take milliseconds."""
        found = sys.modules.get("llvmlite.binding.ffi")
        self._lock = None if found is None else getattr(found.lib, "_lock", None)
        if self._lock is not None:
            self._is_held = self._lock._lock.acquire(timeout=locks.PATIENCE)

    def after(self, in_child: bool) -> None:
        """Go on; a child that was forked from the middle of LLVM computes without it."""
        if self._lock is not None and self._is_held:
            self._lock._lock.release()
        elif self._lock is not None and in_child:
            self._lock._lock = _Refusing()
            large.take_away()


_forks = _Forks()
locks.around_fork(_forks.before, _forks.after)
