"""Turn a scheduled program into something that runs: one native function per stretch between array kernels.

What builds programs is imported where one is built: a process that finds an image needs none of it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from ...array import locks
from ...array.locks import computed
from ...core.body import Body, generators
from ...core.op import TABLE
from ..emit.codegen import NOTHING
from ..lower.buffer import Buffer, aligned
from ..program.program import Program
from . import engine, image, machine_code
from .helper_processes import LONG, MOST, at_work, submitted, summon
from .thread_pool import begun, pool

if TYPE_CHECKING:
    from ..emit.modules import Compiler
    from ..emit.writer import Writer
    from ..lower.equations import Result
    from ..passes.fusion import Step
    from ..passes.memory_plan import Plan
    from .interleaved import Interleaved

#: The profiler that is told of each step of the compiled function that is being called.
PROFILER: ContextVar[Any] = ContextVar("PROFILER", default=None)


class Refused(RuntimeError):
    """A program's inputs are such that its results do not count; nothing was changed."""


class Executable:
    """A compiled program, which says of `pairs` of inputs and outputs in `shared` where the output may be
    written to the input's memory.

    Where it may refuse its inputs (`checked`), the last output says so. `elements` are those of all buffers.
    `entry` is the address of the function that is the whole program, 0 where there is nothing to do;
    `interleaved` is that function where array kernels run between native stretches. It is given a `table`:
    the arena's address, then the addresses of inputs, outputs and constants; last, of a byte that says
    whether the results of an interleaved program do not count. The lock `turn` is held by who uses the table
    and the arena.
    """

    #: Whether what is built is kept on disk.
    kept = True
    #: Begins to compile a module.
    _compile: Compiler = staticmethod(submitted)

    def __init__(self, program: Program, pairs: Sequence[image.Pair] = ()) -> None:
        self.program = program
        name = image.name_of(program, pairs) if self.kept else None
        found = None if name is None else image.read(name)
        if found is None:
            made, called = self._image(pairs, name)
        else:
            made, called = found
        self._load(made, called)

    def _image(
        self, pairs: Sequence[image.Pair], name: image.Name | None
    ) -> tuple[image.Image, machine_code.Found]:
        """Build what running the program takes, and keep it under a name."""
        from ..lower.filling import Call

        with at_work():
            if _is_long(self.program):
                summon(MOST)
            lowered = self.lowered
            _begin_products(lowered)
            calls = [node for node in lowered.nodes if isinstance(node, Call)]
            if any(TABLE[call.op].draws for call in calls):
                # What fills their arrays is wanted as soon as the program runs.
                from ..eager_kernels import draws

                draws.begun()
            # An image is kept as a whole.
            whole = name is not None and image.told(calls, name) is not None
            self._compile = submitted if whole else engine.started
            plan = self.plan
            if plan.is_parallel:
                begun()
            writer = self.writer
            segments = writer.segments()
            code = writer.code() if writer.names else NOTHING
            addresses = {symbol: find() for symbol, find in writer.symbols.items()}
            # Those that are compiled for the first time are by helpers, too.
            _functions(code.called)
        found = image.Image(
            segments, lowered.inputs, lowered.outputs,
            {n: plan.offsets[n] for n in image.called(segments) if n not in plan.slots},
            lowered.constants, plan.slots, plan.arena_bytes,
            sum(b.size for b in lowered.buffers), lowered.checked, plan.is_parallel,
            {(a, b) for a, b in pairs if plan.may_replace(lowered.inputs[a], lowered.outputs[b])},
            tuple(addresses), code,
        )  # fmt: skip
        if name is not None and whole and machine_code.are_lasting(addresses):
            image.write(name, found)
        # The lowered program's steps hold what has these functions.
        return found, machine_code.Found(addresses, [])

    @computed
    def lowered(self) -> Result:
        """Lower the program."""
        from ..lower.equations import lower

        return lower(self.program)

    @computed
    def plan(self) -> Plan:
        """Plan its memory."""
        from ..emit.emitter import Module
        from ..emit.modules import Kernels
        from ..passes.pipeline import planned

        self._kernels = Kernels(Module(), self._compile)
        return planned(self.lowered, self._kernels)

    @computed
    def writer(self) -> Writer:
        """Return what writes it for LLVM."""
        from ..emit.writer import Writer

        plan = self.plan
        return Writer(plan, self._kernels)

    @property
    def steps(self) -> list[Step]:
        """Return what it does, in order."""
        return self.plan.steps

    @computed
    def llvm(self) -> str:
        """Write LLVM's text."""
        if not self.writer.names:
            self.writer.segments()
        return self.writer.text()

    @property
    def _is_native(self) -> bool:
        return len(self.segments) == 1 and isinstance(self.segments[0], str)

    def _load(self, found: image.Image, called: machine_code.Found) -> None:
        self._called, self.segments = called, found.segments
        #: Generators that it draws from.
        self.generators = _generators(found.segments)
        self.inputs, self.outputs = found.inputs, found.outputs
        self.checked, self.elements, self.shared = found.checked, found.elements, found.shared
        self.pool = pool() if found.parallel else None
        # Only what the vectoriser chose to call is compiled.
        self._library = (
            engine.Library(found.code, called.addresses, _functions) if found.code.objects else None
        )
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        #: Native functions, and calls of array kernels.
        self._run: list[Any] = [
            call(self._library.address(s)) if isinstance(s, str) else s  # type: ignore[union-attr]  # there is one then
            for s in self.segments
        ]
        self.table = np.zeros(2 + len(found.slots), np.uintp)
        self._arena = aligned(found.arena_bytes)
        self._constants, self._slots, self._offsets = found.constants, found.slots, found.offsets
        self.table[0] = self._arena.ctypes.data
        for buffer_number, array in found.constants.items():
            self.table[found.slots[buffer_number]] = array.ctypes.data
        self._failed = np.zeros(1, np.uint8)
        self.table[-1] = self._failed.ctypes.data
        self.table_address = self.table.ctypes.data
        self.turn = locks.lock()
        self.interleaved: Interleaved | None = None
        if self._is_native:
            self.entry = self._library.address(str(self.segments[0]))  # type: ignore[union-attr]  # there is one then
        else:
            self.entry = self._interleave(found.slots)

    def _interleave(self, slots: dict[int, int]) -> int:
        """Join native stretches and array kernels; return the address of the function."""
        if not self._run:
            return 0
        from .interleaved import Interleaved

        self._temporaries: dict[tuple[Any, ...], ndarray] = {}
        given = {b.number: slots[b.number] for b in (*self.inputs, *self.outputs)}
        flag = self.outputs[-1] if self.checked else None
        self.interleaved = Interleaved(self._run, given, self._array, flag, len(self.table), self.generators)
        return self.interleaved.address

    def _array(self, buffer: Buffer) -> ndarray:
        """Return a constant or a temporary as an array, for an array kernel; one array for one place."""
        found = self._constants.get(buffer.number)
        if found is None:
            offset = self._offsets[buffer.number]
            memory = self._arena[offset : offset + buffer.bytes]
            made = memory.view(buffer.dtype).reshape(buffer.shape)
            found = self._temporaries.setdefault((offset, buffer.shape, buffer.dtype), made)
        return found

    def run(self, *arrays: ndarray) -> list[ndarray]:
        """Run on contiguous arrays of the inputs' shapes and dtypes; return new arrays.

        Threads take turns: the arena is one. Raises `Refused` where an index is out of its range: what eager
        raises is for eager to say.
        """
        if (profiler := PROFILER.get()) is not None:
            from ..inspection.profiled import run

            return run(self, profiler, arrays)
        return self.ran(arrays)

    def ran(self, arrays: Sequence[ndarray]) -> list[ndarray]:
        """Run, profiler or not; see `run`."""
        if self.pool is not None:
            self.pool.prepare()
        with self.turn:
            results = self._computed(arrays)
        if self.checked and results.pop():
            raise Refused("an index is out of range")
        return results

    def _computed(self, arrays: Sequence[ndarray]) -> list[ndarray]:
        outputs = [np.empty(b.shape, b.dtype) for b in self.outputs]
        for slot, array in enumerate((*arrays, *outputs), start=1):
            self.table[slot] = array.ctypes.data
        if self.interleaved is not None:
            self.interleaved.run(self.table_address)
        elif self._run:
            self._run[0](self.table_address)
        return outputs

    @property
    def has_exchanged(self) -> bool:
        """Return whether the last run has exchanged something with other processes."""
        return self.interleaved is not None and self.interleaved.has_exchanged


def _is_long(program: Program) -> bool:
    """Tell whether compiling takes so long that it is worth a process of its own."""
    from ..lower import volumes

    return _equations(program) >= LONG or any(e.op in volumes.LOWERINGS for e in program.equations)


def _equations(body: Body) -> int:
    """Return how many equations there are, in bodies of loops too."""
    inner = (a for e in body.equations for a in e.attrs if isinstance(a, Body))
    return len(body.equations) + sum(map(_equations, inner))


def _begin_products(lowered: Result) -> None:
    """Have the code of products compiled before the kernels are written: it takes longest."""
    from ..lower.lowered import Contraction

    for node in lowered.nodes:
        if isinstance(node, Contraction):
            from ..emit.product import begun

            begun(node)
        for body in getattr(node, "bodies", ()):
            _begin_products(body)


def _functions(symbols: Iterable[str]) -> dict[str, int]:
    """Return the addresses of mathematical functions."""
    from ..emit import functions

    return functions.addresses(symbols)


def _generators(segments: Iterable[Any]) -> list[Any]:
    found = [g for step in segments if not isinstance(step, str) for g in generators(step.op, step.attrs)]
    return list({id(generator): generator for generator in found}.values())
