"""Object code put together so that a process without LLVM can run it.

`linked` lays the sections of object files (ELF for x86-64, the large code model, in which every address is
whole) behind each other and notes the places where addresses stand. `Loaded` puts the result into memory and
writes the addresses: of its own parts, and of the functions of the C library that it calls.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy import ndarray

from ...array.named_tuples import NamedTuple

# Of the specification: flags of sections (in memory, written to), kinds of sections, the one relocation.
_ALLOCATED, _WRITABLE = 2, 1
_SYMBOLS, _RELOCATIONS, _EMPTY = 2, 4, 8
_ABSOLUTE = 1
_X86_64 = 62
#: Tells debuggers about stack frames; nothing here is thrown through native code.
_FRAMES = ".eh_frame"


class Linked(NamedTuple):
    """Machine code that can be put anywhere in memory."""

    #: What is executed and read, up to `constant`, then what is written to.
    content: bytes
    constant: int
    #: Where functions and variables lie.
    symbols: dict[str, int]
    #: Where addresses of its own parts stand, and where in it they point.
    places: ndarray
    targets: ndarray
    #: The functions outside that it calls.
    called: list[str]
    #: Places of their addresses, and which of `called` each is: two rows.
    calls: ndarray


class _Section(NamedTuple):
    name: str
    kind: int
    flags: int
    data: bytes
    size: int
    link: int
    about: int
    alignment: int


class _Symbol(NamedTuple):
    name: str
    section: int
    value: int


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode()


def _sections(data: bytes) -> list[_Section]:
    """Return the sections of an object file of ELF for x86-64, or raise a NotImplementedError."""
    if data[:5] != b"\x7fELF\2" or struct.unpack_from("<H", data, 18)[0] != _X86_64:
        raise NotImplementedError("object code is put together for x86-64 in the format ELF alone")
    (start,) = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    heads = [struct.unpack_from("<IIQQQQIIQQ", data, start + 64 * n) for n in range(count)]
    table = data[heads[names][4] :]
    return [
        _Section(
            _text(table, name), kind, flags, b"" if kind == _EMPTY else data[at : at + size], size, link,
            about, max(alignment, 1),
        )
        for name, kind, flags, _, at, size, link, about, alignment, _ in heads
    ]  # fmt: skip


def _symbols(sections: Sequence[_Section]) -> list[_Symbol]:
    for section in sections:
        if section.kind == _SYMBOLS:
            names = sections[section.link].data
            return [
                _Symbol(_text(names, name), index, value)
                for name, _, _, index, value, _ in struct.iter_unpack("<IBBHQQ", section.data)
            ]
    return []


def linked(objects: Iterable[bytes]) -> Linked:
    """Put object files together.

    Raises a NotImplementedError where they are for a processor, or of a kind, that this does not know.
    """
    files = [_sections(data) for data in objects]
    content = bytearray()
    at: dict[tuple[int, int], int] = {}
    constant = 0
    for writable in (False, True):
        for n, sections in enumerate(files):
            for k, section in enumerate(sections):
                allocated = section.flags & _ALLOCATED and section.name != _FRAMES
                if not allocated or bool(section.flags & _WRITABLE) != writable:
                    continue
                content += bytes(-len(content) % max(section.alignment, 16))
                at[n, k] = len(content)
                content += section.data or bytes(section.size)
        if not writable:
            content += bytes(-len(content) % mmap.PAGESIZE)
            constant = len(content)
    tables = [_symbols(sections) for sections in files]
    defined = {
        s.name: at[n, s.section] + s.value
        for n, table in enumerate(tables) for s in table if s.name and (n, s.section) in at
    }  # fmt: skip
    inner: list[tuple[int, int]] = []
    outer: list[tuple[int, str]] = []
    for n, sections in enumerate(files):
        for section in sections:
            if section.kind != _RELOCATIONS or (n, section.about) not in at:
                continue
            base = at[n, section.about]
            for place, info, addend in struct.iter_unpack("<QQq", section.data):
                if info & 0xFFFFFFFF != _ABSOLUTE:
                    raise NotImplementedError(f"object code with relocations of kind {info & 0xFFFFFFFF}")
                symbol = tables[n][info >> 32]
                if (n, symbol.section) in at:
                    inner.append((base + place, at[n, symbol.section] + symbol.value + addend))
                elif symbol.name in defined:
                    inner.append((base + place, defined[symbol.name] + addend))
                else:
                    outer.append((base + place, symbol.name))
    called = sorted({name for _, name in outer})
    calls = np.array([[p for p, _ in outer], [called.index(n) for _, n in outer]], np.int64).reshape(2, -1)
    pairs = np.array(inner, np.int64).reshape(-1, 2)
    return Linked(bytes(content), constant, defined, pairs[:, 0], pairs[:, 1], called, calls)


class Loaded:
    """Machine code in memory, and `known` addresses of functions that are not the C library's.

    Raises a RuntimeError where the system does not let the process run code of its own, or has no function
    that the code calls.
    """

    def __init__(self, code: Linked, known: Mapping[str, int] = MappingProxyType({})) -> None:
        self._symbols = code.symbols
        size = max(len(code.content), mmap.PAGESIZE)
        # mmap's own choice is a mapping that a forked child shares: it would write to its parent's variables,
        # such as the lock of the thread pool.
        if hasattr(mmap, "MAP_PRIVATE"):
            self._memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        else:
            self._memory = mmap.mmap(-1, size)
        self._memory.write(code.content)
        holder = (ctypes.c_char * size).from_buffer(self._memory)
        self._base = ctypes.addressof(holder)
        written = np.frombuffer(self._memory, np.uint8)
        _write(written, code.places, code.targets + self._base)
        addresses = np.array([known.get(n) or _address(n) for n in code.called], np.int64)
        if code.calls.size:
            _write(written, code.calls[0], addresses[code.calls[1]])
        if code.constant and _protect(self._base, code.constant):
            raise RuntimeError("the system refuses to run machine code from memory (mprotect)")

    def address(self, name: str) -> int:
        """Return where a function or variable lies."""
        return self._base + self._symbols[name]

    def keep(self) -> None:
        """Let the code stay to the end of the process."""
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._memory))


def _write(memory: ndarray, places: ndarray, numbers: ndarray) -> None:
    """Write numbers of 64 bits, which need not be aligned."""
    data = np.ascontiguousarray(numbers, np.int64).view(np.uint8).reshape(-1, 8)
    memory[places[:, None] + np.arange(8)] = data


def _protect(address: int, size: int) -> int:
    """Make memory executable and no longer writable; return what the system answers, 0 being well done."""
    protect = ctypes.CDLL(None).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return int(protect(address, size, mmap.PROT_READ | mmap.PROT_EXEC))


def _address(name: str) -> int:
    for library in (None, "libm.so.6"):
        function: Any = getattr(ctypes.CDLL(library), name, None)
        if function is not None:
            return int(ctypes.cast(function, ctypes.c_void_p).value or 0)
    raise RuntimeError(f"the C library here has no {name}, which the machine code calls")
