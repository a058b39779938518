"""Native loops of any size for eager ops: what runs a part of a job, and how a job is started.

A part's function takes the job's context, an array of 64-bit numbers and pointers, and the number of the
part. The context begins with how many things are shared out and in how many parts; from these come ``%lo``
and ``%hi``, the part's share.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...array.locks import computed
from ..emit import tables
from ..emit.codegen import Code
from ..emit.restricted_python import Program
from ..runtime import engine
from ..runtime.thread_pool import pool

if TYPE_CHECKING:
    from ..emit.emitter import Emitter, Module
    from ..lower.index import Variable

#: Dtypes that the loops on real numbers take.
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
#: What loads and stores of a loop say whose steps do not depend on each other (`Emitter.loop`, `innermost`).
APART = ", !llvm.access.group !0"

_Run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
_One = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)


class Parts:
    """A compiled function of one part, by its address, and how all parts of a job are run."""

    def __init__(self, address: int) -> None:
        self._address, self._one = address, _One(address)
        self._all: Callable[..., None] | None = None

    def run(self, context: ctypes.Array[ctypes.c_int64] | bytes, parts: int) -> None:
        """Run so many parts: one of them alone needs no threads."""
        if parts == 1:
            self._one(context, 0)
            return
        threads = pool()
        threads.prepare()
        if self._all is None:
            self._all = _Run(threads.address)
        self._all(self._address, context, parts)


def opened(module: Module, fields: Mapping[str, str]) -> Emitter:
    """Return an emitter that has read the fields of the context, by their names, and the part's share."""
    from ..emit.emitter import Emitter  # what is found on disk needs none

    ops = Emitter(module)
    named = {f"%{name}": type_ for name, type_ in fields.items()}
    ops.lines += tables.read("%context", {"%shared": "i64", "%parts": "i64", **named})
    ops.lines += tables.share("%part", "%parts", "%shared")
    return ops


def loop_variable(name: str) -> Variable:
    """Return the variable of a loop whose extent is not known."""
    from ..lower.index import Variable

    return Variable(name, 1 << 62)


def text(ops: Emitter) -> str:
    """Return the module of a part's function from what `opened` gave, with the loops written."""
    head = "define void @part(ptr %context, i64 %part) nounwind #0 {"
    body = "\n".join([head, "entry:", *ops.slots, *ops.lines, "  ret void", "}"])
    return engine.whole(ops.module.declarations.values(), [body])


class _Shared(Program):
    """A function in the restricted Python as that of one part: its parameters are the fields of the context,
    then the number of the part, and its share `lo` and `hi`.
    """

    def __init__(self, function: Callable[..., None], constants: Mapping[str, int]) -> None:
        super().__init__((function,), {}, constants)
        fields = [*function.__annotations__.items()][: -len(("part", "lo", "hi", "return"))]
        types = {f"%{name}": "i64" if kind == "Int" else "ptr" for name, kind in fields}
        given = [f"{type_} {name}" for name, type_ in types.items()]
        lines = [
            "define void @part(ptr %context, i64 %part) nounwind #0 {",
            *tables.read("%context", {"%shared": "i64", "%parts": "i64", **types}),
            *tables.share("%part", "%parts", "%shared"),
            f"  call void @{function.__name__}({', '.join(given)}, i64 %part, i64 %lo, i64 %hi)",
            "  ret void", "}",
        ]  # fmt: skip
        self._part = "\n".join(lines)

    def key(self) -> list[bytes]:
        """Return what tells the functions, that of the part included."""
        return [*super().key(), self._part.encode()]

    def text(self) -> str:
        """Return LLVM's text, with the part's function."""
        return f"{super().text()}\n{self._part}"


class Job:
    """The function of one part, which may still be compiled until it first runs.

    `source` is what `opened` gave, with the loops written, or what waits for the machine code.
    """

    def __init__(self, source: Emitter | Callable[[], Code] | engine.Library) -> None:
        if not isinstance(source, engine.Library):
            source = engine.Library(source if callable(source) else text(source), {})
        self._library = source

    @computed
    def address(self) -> int:
        """Return where the function lies."""
        return self._library.address("part")

    @computed
    def _parts(self) -> Parts:
        return Parts(self.address)

    def run(self, shared: int, parts: int, fields: Sequence[int]) -> None:
        """Do all parts."""
        self._parts.run((ctypes.c_int64 * (2 + len(fields)))(shared, parts, *fields), parts)


class Jobs:
    """Jobs of one kind of op, each made when it is first asked for."""

    def __init__(self) -> None:
        self._made: dict[Any, Job] = {}

    def job(self, write: Callable[..., Emitter], *options: Any) -> Job:
        """Return the job whose loops ``write(*options)`` writes."""
        key = (write, *options)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = Job(write(*options))
        return found

    def native(self, function: Callable[..., None], size: int, **constants: int) -> Job:
        """Return the job of a function in the restricted Python (`_Shared`), whose module constants `SIZE`
        and `BITS` are bytes and bits of an element of so many bytes, and others what is given.
        """
        key = (function, size, *constants.values())
        found = self._made.get(key)
        if found is None:
            own = {"SIZE": size, "BITS": 8 * size, **constants}
            found = self._made[key] = Job(engine.library(_Shared(function, own)))
        return found
