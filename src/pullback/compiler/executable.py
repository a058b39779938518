"""From a scheduled program to something that runs: one native function per stretch between array kernels."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.op import TABLE
from .llvm import engine, functions
from .llvm.emitter import Module
from .llvm.pool import pool
from .lowered import Buffer, Call
from .lowering import lower
from .plan import ALIGNMENT, Plan
from .program import Program
from .schedule import Step
from .writer import Writer


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
        module = Module()
        self.plan = Plan(lowered, module)
        self.steps = self.plan.steps
        #: Generators that it draws from.
        self.generators = _generators(self.steps)
        self._build(self.plan, Writer(self.plan, module))

    def _build(self, plan: Plan, writer: Writer) -> None:
        lowered = plan.lowered
        self.pool = pool() if plan.is_parallel else None
        self.segments = writer.segments()
        self.llvm = writer.text()
        # Only what the vectoriser chose to call is compiled.
        self._library = (
            engine.Library(self.llvm, writer.symbols, functions.addresses, straight=plan.is_straight)
            if writer.names else None
        )  # fmt: skip
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        assert self._library is not None or not writer.names
        self._run = [
            call(self._library.address(s)) if isinstance(s, str) else s  # type: ignore[union-attr]  # asserted
            for s in self.segments
        ]
        native = len(self.segments) == 1 and isinstance(self.segments[0], str)
        self.entry = self._library.address(self.segments[0]) if native and self._library else 0
        self.table = np.zeros(1 + len(plan.slots), np.uintp)
        self._arena = _aligned(plan.arena_bytes)
        self._constants = lowered.constants
        self.table[0] = self._arena.ctypes.data
        for buffer_number, array in lowered.constants.items():
            self.table[plan.slots[buffer_number]] = array.ctypes.data
        self.table_address = self.table.ctypes.data
        self.turn = threading.Lock()

    def array(self, buffer: Buffer, given: dict[int, ndarray]) -> ndarray:
        """A buffer as an array, for an array kernel."""
        found = given.get(buffer.number)
        if found is None:
            found = self._constants.get(buffer.number)
        if found is None:
            offset = self.plan.offsets[buffer.number]
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
