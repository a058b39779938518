"""From a scheduled program to something that runs: one native function per stretch between array kernels.

Buffers that live at different times share places in one arena, whose size is known when the program is
compiled.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.op import TABLE
from . import blas, parallel
from .kernel import Emission, Kernel, emit
from .llvm import engine, functions
from .llvm.emitter import TYPES, Module, number
from .llvm.pool import PARALLEL, pool
from .lowered import Buffer, Call, Contraction, Routine
from .lowering import Result, lower
from .program import Program
from .routine import emit_routine
from .schedule import Step, schedule

ALIGNMENT = 64
_ROW_MAJOR, _PLAIN, _TRANSPOSED = 101, 111, 112


class Refused(RuntimeError):
    """A program's inputs are such that its results do not count; nothing was changed."""


class Executable:
    """A compiled program.

    Attributes
    ----------
    program : Program
    steps : list of Step
    llvm : str
    entry : int
        Address of the native function that is the whole program; 0 where array kernels run in between.
    table : array
        What it is given: the arena's address, then the addresses of inputs, outputs and constants.
    turn : Lock
        Held by who uses the table and the arena.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lowered = lowered = lower(program)
        self.steps = schedule(lowered.nodes)
        #: Generators that it draws from.
        self.generators = _generators(self.steps)
        self._build(lowered)

    def _build(self, lowered: Result) -> None:
        module = Module()
        escaping = _escaping(self.steps, lowered)
        emissions = {
            id(step): emit(step, module, escaping[n])
            for n, step in enumerate(self.steps)
            if isinstance(step, Kernel)
        }
        emissions |= {
            id(step): emit_routine(step, module) for step in self.steps if isinstance(step, Routine)
        }
        for emission in emissions.values():
            emission.parts = parallel.count(emission.rows, emission.work, bool(emission.partials))
        self.pool = pool() if any(e.parts > 1 for e in emissions.values()) else None
        self._slots = {b.number: 1 + n for n, b in enumerate((*lowered.inputs, *lowered.outputs))}
        for buffer_number in lowered.constants:
            self._slots[buffer_number] = 1 + len(self._slots)
        self._place(lowered, emissions)
        writer = _Steps(self, module, emissions)
        self.segments = writer.segments()
        self.llvm = writer.text()
        # Only what the vectoriser chose to call is compiled.
        resolve = (lambda text: functions.addresses(functions.called(text))) if module.functions else None
        self._library = engine.Library(self.llvm, writer.symbols, resolve) if writer.names else None
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        assert self._library is not None or not writer.names
        self._run = [
            call(self._library.address(s)) if isinstance(s, str) else s  # type: ignore[union-attr]  # asserted
            for s in self.segments
        ]
        native = len(self.segments) == 1 and isinstance(self.segments[0], str)
        self.entry = self._library.address(self.segments[0]) if native and self._library else 0
        self.table = np.zeros(1 + len(self._slots), np.uintp)
        self._arena = _aligned(self.arena_bytes)
        self._constants = lowered.constants
        self.table[0] = self._arena.ctypes.data
        for buffer_number, array in lowered.constants.items():
            self.table[self._slots[buffer_number]] = array.ctypes.data
        self.table_address = self.table.ctypes.data
        self.turn = threading.Lock()

    def _place(self, lowered: Result, emissions: dict[int, Emission]) -> None:
        """Lay the temporaries out in the arena: first fit, by the steps between which each is alive."""
        sizes: dict[int, int] = {}
        spans: dict[int, list[int]] = {}
        for n, step in enumerate(self.steps):
            if isinstance(step, Kernel) and emissions[id(step)].parts > 1:
                sizes[scratch_of(n)] = parallel.places(emissions[id(step)]).bytes
                spans[scratch_of(n)] = [n, n]
            for buffer in _touched(step, emissions, lowered):
                if buffer.number in self._slots:
                    continue
                size = buffer.bytes
                if isinstance(step, Kernel) and buffer.number in emissions[id(step)].row_buffers:
                    size = _row_bytes(emissions[id(step)], buffer)
                sizes[buffer.number] = max(size, sizes.get(buffer.number, 0))
                spans.setdefault(buffer.number, [n, n])[1] = n
        self.offsets: dict[int, int] = {}
        taken: list[tuple[int, int, int, int]] = []
        self.arena_bytes = 0
        for buffer_number in sorted(sizes, key=lambda b: -sizes[b]):
            first, last = spans[buffer_number]
            size = -(-sizes[buffer_number] // ALIGNMENT) * ALIGNMENT
            offset = 0
            for start, stop, begin, end in sorted(taken, key=lambda entry: entry[2]):
                if stop < first or last < start or end <= offset:
                    continue
                if begin >= offset + size:
                    break
                offset = end
            taken.append((first, last, offset, offset + size))
            self.offsets[buffer_number] = offset
            self.arena_bytes = max(self.arena_bytes, offset + size)

    def array(self, buffer: Buffer, given: dict[int, ndarray]) -> ndarray:
        """A buffer as an array, for an array kernel."""
        found = given.get(buffer.number)
        if found is None:
            found = self._constants.get(buffer.number)
        if found is None:
            offset = self.offsets[buffer.number]
            memory = self._arena[offset : offset + buffer.bytes]
            found = memory.view(buffer.dtype).reshape(buffer.shape)
        return found

    def run(self, *arrays: ndarray) -> list[ndarray]:
        """Run on contiguous arrays of the inputs' shapes and dtypes; return new arrays.

        Threads take turns: the arena is one.

        Raises
        ------
        Refused
            An index is out of its range: what eager raises is for eager to say.
        """
        if self.pool is not None:
            self.pool.prepare()
        with self.turn:
            results = self._computed(arrays)
        if self.lowered.checked and results.pop():
            raise Refused("an index is out of range")
        return results

    def _computed(self, arrays: Sequence[ndarray]) -> list[ndarray]:
        lowered, table = self.lowered, self.table
        outputs = [np.empty(b.shape, b.dtype) for b in lowered.outputs]
        for slot, array in enumerate((*arrays, *outputs), start=1):
            table[slot] = array.ctypes.data
        given: dict[int, ndarray] = {}
        if any(isinstance(segment, Call) for segment in self._run):
            given = dict(
                zip((b.number for b in (*lowered.inputs, *lowered.outputs)), (*arrays, *outputs), strict=True)
            )
        for segment in self._run:
            if isinstance(segment, Call):
                self._call(segment, given)
            else:
                segment(self.table_address)
        return outputs

    def _call(self, step: Call, given: dict[int, ndarray]) -> None:
        operands = tuple(self.array(o, given) if isinstance(o, Buffer) else o for o in step.operands)
        result = TABLE[step.op].evaluate(operands, step.attrs)
        parts = result if step.several else (result,)
        for buffer, part in zip(step.outputs, parts, strict=True):
            self.array(buffer, given)[...] = part


def _generators(steps: Sequence[Step]) -> list[Any]:
    found = {}
    for step in steps:
        if isinstance(step, Call) and "generator" in TABLE[step.op].attrs:
            generator = step.attrs[TABLE[step.op].attrs.index("generator")]
            found[id(generator)] = generator
    return list(found.values())


def _aligned(size: int) -> ndarray:
    memory = np.empty(size + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + size]


def scratch_of(step: int) -> int:
    """The number, among those of buffers, of the memory that a step's parts write their sums to."""
    return -1 - step


def _row_bytes(emission: Emission, buffer: Buffer) -> int:
    """Memory for a row of a buffer that needs no more: one for each part."""
    elements = emission.row_buffers[buffer.number]
    if emission.parts == 1:
        return elements * buffer.dtype.itemsize
    return emission.parts * parallel.stride(elements, buffer.dtype)


def _touched(step: Step, emissions: dict[int, Emission], lowered: Result) -> list[Buffer]:
    if isinstance(step, Kernel):
        return [lowered.buffers[n] for n in emissions[id(step)].parameters]
    outputs = step.outputs if isinstance(step, Call) else (step.buffer,)
    return [*step.reads, *outputs]


def _escaping(steps: Sequence[Step], lowered: Result) -> list[set[int]]:
    """For each step, the buffers that are read after it or outside it."""
    readers: dict[int, set[int]] = {b.number: {-1} for b in lowered.outputs}
    for n, step in enumerate(steps):
        nodes = step.nodes if isinstance(step, Kernel) else [step]
        for node in nodes:
            for buffer in node.reads:
                readers.setdefault(buffer.number, set()).add(n)
    return [
        {number_ for number_, who in readers.items() if who - {n}} for n in range(len(steps))
    ]


class _Steps:
    """Writes the functions that run the steps in order."""

    def __init__(self, owner: Executable, module: Module, emissions: dict[int, Emission]) -> None:
        self.owner = owner
        self.module = module
        self.emissions = emissions
        self.kernels: dict[str, str] = {}
        self.names: list[str] = []
        self.functions: list[str] = []
        self.symbols: dict[str, int] = {}
        self.parts: dict[tuple[Any, ...], str] = {}
        self._calls = 0

    def segments(self) -> list[Any]:
        """Names of native functions, and the calls between them."""
        result: list[Any] = []
        native: list[Any] = []
        for step in self.owner.steps:
            if isinstance(step, Call):
                if native:
                    result.append(self._function(native))
                    native = []
                result.append(step)
            else:
                native.append(step)
        if native:
            result.append(self._function(native))
        return result

    def _function(self, steps: list[Any]) -> str:
        name = f"segment{len(self.names)}"
        self.names.append(name)
        self.lines = [f"define void @{name}(ptr %table) #0 {{", "  %arena = load ptr, ptr %table"]
        self.pointers: dict[int, str] = {}
        self.shifted: set[str] = set()
        for step in steps:
            if isinstance(step, (Kernel, Routine)):
                self._kernel(step)
            else:
                self._contraction(step)
        self.functions.append("\n".join([*self.lines, "  ret void", "}"]))
        return name

    def _pointer(self, buffer_number: int) -> str:
        name = self.pointers.get(buffer_number)
        if name is None:
            name = self.pointers[buffer_number] = (
                f"%b{buffer_number}" if buffer_number >= 0 else f"%s{-buffer_number}"
            )
            slot = self.owner._slots.get(buffer_number)
            if slot is None:
                offset = self.owner.offsets[buffer_number]
                self.lines.append(f"  {name} = getelementptr i8, ptr %arena, i64 {offset}")
            else:
                self.lines.append(f"  {name}_ = getelementptr i64, ptr %table, i64 {slot}")
                self.lines.append(f"  {name} = load ptr, ptr {name}_")
        return name

    def _kernel(self, kernel: Kernel | Routine) -> None:
        emission = self.emissions[id(kernel)]
        name = self.kernels.setdefault(emission.text, f"kernel{len(self.kernels)}")
        if emission.parts > 1:
            self._parts(kernel, emission, name)
            return
        operands = ", ".join(f"ptr {self._pointer(p)}" for p in emission.parameters)
        self.lines.append(
            f"  call void @{name}({operands}{', ' if operands else ''}i64 0, i64 {emission.rows})"
        )

    def _parts(self, kernel: Kernel | Routine, emission: Emission, name: str) -> None:
        """Run a kernel's parts on threads, and join what they gathered."""
        buffers, parts = self.owner.lowered.buffers, emission.parts
        self.symbols[PARALLEL] = pool().address
        self.module.declare(PARALLEL, "void", "ptr", "ptr", "i64")
        places = parallel.places(emission)
        scratch = self._pointer(scratch_of(self.owner.steps.index(kernel))) if emission.partials else ""
        slots: dict[int, str] = {}
        for number_, offset in places.offsets.items():
            slots[number_] = f"{scratch}_{number_}"
            self.lines.append(f"  {slots[number_]} = getelementptr i8, ptr {scratch}, i64 {offset}")
        strides = []
        for number_ in emission.parameters:
            elements = emission.row_buffers.get(number_, 0)
            if number_ in slots:
                elements = buffers[number_].size
            strides.append(parallel.stride(elements, buffers[number_].dtype))
        key = (name, *strides)
        function = self.parts.get(key)
        if function is None:
            function = self.parts[key] = f"part{len(self.parts)}"
            self.functions.append(parallel.part_function(function, name, strides))
        pointers = [slots.get(p) or self._pointer(p) for p in emission.parameters]
        self._calls += 1
        self.lines += parallel.call(pointers, function, emission.rows, parts, f"%context{self._calls}")
        for partial in emission.partials:
            number_ = partial.buffer.number
            text = parallel.joining(partial, parts, self.module)
            joining = self.kernels.setdefault(text, f"joining{len(self.kernels)}")
            self.lines.append(f"  call void @{joining}(ptr {self._pointer(number_)}, ptr {slots[number_]})")

    def _contraction(self, step: Contraction) -> None:
        dtype = step.buffer.dtype
        word = "cblas_sgemm" if dtype == np.float32 else "cblas_dgemm"
        found = blas.address(word)
        assert found is not None
        self.symbols[f"pullback_{word}"] = found
        real = TYPES[dtype]
        symbol = self.module.declare(
            f"pullback_{word}", "void", "i32", "i32", "i32", "i64", "i64", "i64", real, "ptr", "i64", "ptr",
            "i64", real, "ptr", "i64",
        )  # fmt: skip
        rows, columns, inner = step.extents
        size = rows * columns
        batch = [()] if not step.batch else list(np.ndindex(*step.batch))
        for position, where in enumerate(batch):
            a, a_word, a_lead = self._operand(step.left, where, dtype)
            b, b_word, b_lead = self._operand(step.right, where, dtype)
            c = self._shifted(step.buffer.number, position * size, dtype)
            scale, keep = number(step.alpha, dtype), number(0.0, dtype)
            self.lines.append(
                f"  call void @{symbol}(i32 {_ROW_MAJOR}, i32 {a_word}, i32 {b_word}, i64 {rows}, i64 "
                f"{columns}, i64 {inner}, {real} {scale}, ptr {a}, i64 {a_lead}, ptr {b}, i64 {b_lead}, "
                f"{real} {keep}, ptr {c}, i64 {columns})"
            )

    def _operand(self, matrix: Any, where: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[str, int, int]:
        offset = matrix.offset + sum(i * s for i, s in zip(where, matrix.batch, strict=True))
        pointer = self._shifted(matrix.buffer.number, offset, dtype)
        rows, columns = matrix.strides
        if columns == 1:
            return pointer, _PLAIN, rows
        return pointer, _TRANSPOSED, columns

    def _shifted(self, buffer_number: int, offset: int, dtype: np.dtype[Any]) -> str:
        pointer = self._pointer(buffer_number)
        if not offset:
            return pointer
        name = f"{pointer}_{offset}"
        if name not in self.shifted:
            self.shifted.add(name)
            self.lines.append(f"  {name} = getelementptr {TYPES[dtype]}, ptr {pointer}, i64 {offset}")
        return name

    def text(self) -> str:
        """The whole module."""
        kernels = [
            f"define internal void @{name}{text}" for text, name in self.kernels.items()
        ]
        return engine.whole(
            self.module.declarations.values(), functions.declarations(self.module),
            [*kernels, *self.functions]
        )
