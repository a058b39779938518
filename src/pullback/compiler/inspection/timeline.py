"""Say where a compiled program's time goes: each step run alone, beside what the machine could do.

The ceilings, how fast the machine moves memory and multiplies matrices, are measured once per process.
"""

import ctypes
import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from statistics import median
from typing import Any

import numpy as np
from numpy import ndarray

from ...array.locks import computed
from ...array.named_tuples import NamedTuple
from ...array.threads import get_num_threads, run_parts
from ..emit.product import multiply
from ..emit.writer import Writer
from ..lower.buffer import Buffer
from ..lower.context import probe
from ..lower.filling import Call
from ..lower.kernel import Kernel
from ..lower.lowered import Branch, Contraction, Loop, Precompiled
from ..passes.fusion import Step
from ..passes.memory_plan import Plan
from ..program.program import Program
from ..runtime.executable import Executable
from .listing import title

#: Runs of which a step's time is the median.
RUNS = 15
#: Runs of which the fastest is a ceiling.
CEILING_RUNS = 15


class Ceilings(NamedTuple):
    """Bytes and float32 operations per second."""

    bandwidth: float
    products: float


def _fastest(work: Callable[[], Any], runs: int) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


@functools.cache
def ceilings() -> Ceilings:
    """Measure a copy of 64 MB on a program's threads and a product of two matrices of 1,024 rows."""
    source = np.ones(1 << 24, np.float32)
    target = np.empty_like(source)
    matrix = np.ones((1024, 1024), np.float32)
    result = np.empty_like(matrix)
    threads = get_num_threads()
    targets, sources = np.array_split(target, threads), np.array_split(source, threads)

    def copy(part: int) -> None:
        np.copyto(targets[part], sources[part])

    copied = _fastest(lambda: run_parts(copy, threads), CEILING_RUNS)
    multiplied = _fastest(lambda: multiply(matrix, matrix, result), CEILING_RUNS)
    return Ceilings(2 * source.nbytes / copied, 2 * 1024**3 / multiplied)


class _Separate(Writer):
    """Write a function for each step."""

    def segments(self) -> list[Any]:
        return [s if isinstance(s, Call) else self._function([s]) for s in self.plan.steps]


class Stepwise(Executable):
    """A program whose steps can be run one by one."""

    kept = False
    #: Its steps are interleaved, even where all or none of them are native.
    _is_native = False

    @computed
    def writer(self) -> Writer:
        """Return what writes the steps apart."""
        plan = self.plan
        return _Separate(plan, self._kernels)

    def times(self, arrays: list[ndarray]) -> list[float]:
        """Return each step's median seconds over whole runs; draws filled together share theirs."""
        outputs = [np.empty(b.shape, b.dtype) for b in self.lowered.outputs]
        for slot, array in enumerate((*arrays, *outputs), start=1):
            self.table[slot] = array.ctypes.data
        if self.pool is not None:
            self.pool.prepare()
        taken: list[list[float]] = [[] for _ in self._run]
        if self.interleaved is None:
            return []
        words = self.interleaved.words(self.table_address)
        with self.turn:
            for _ in range(RUNS):
                first = 0
                for step, width in zip(self.interleaved.steps, self.interleaved.widths, strict=True):
                    start = time.perf_counter()
                    step(self.table_address, words)
                    share = (time.perf_counter() - start) / width
                    for n in range(first, first + width):
                        taken[n].append(share)
                    first += width
        empty = _call_cost()
        return [
            max(median(times) - (0.0 if isinstance(segment, Call) else empty), 0.0)
            for times, segment in zip(taken, self._run, strict=True)
        ]


@functools.cache
def _call_cost() -> float:
    """Return what calling a native function from Python takes by itself."""
    work = ctypes.pythonapi.Py_IsInitialized
    return median(_fastest(work, 1) for _ in range(101))


@dataclass(frozen=True)
class Row:
    """A step of a program."""

    what: str
    seconds: float
    bytes: int  # of the arrays outside registers that it reads and writes, each counted once
    flops: int  # operations on numbers; a mathematical function counts as `handlers.Analysis.FUNCTION`


class Timeline:
    """A table of a program's steps; it prints as one."""

    def __init__(self, rows: list[Row], limits: Ceilings) -> None:
        self.rows = rows
        self.ceilings = limits

    @property
    def seconds(self) -> float:
        """Return the seconds of all steps."""
        return sum(row.seconds for row in self.rows)

    @property
    def least(self) -> float:
        """Return seconds that the ceilings allow: steps in turn, each as long as its bytes or flops take."""
        limits = self.ceilings
        return sum(max(row.bytes / limits.bandwidth, row.flops / limits.products) for row in self.rows)

    def __str__(self) -> str:
        limits = self.ceilings
        lines = [
            f"{'µs':>9} {'share':>6} {'kB':>9} {'of bandwidth':>12} {'kflop':>9} {'of products':>11}  step"
        ]
        whole = self.seconds or 1.0
        for row in self.rows:
            seconds = row.seconds or 1e-9
            lines.append(
                f"{1e6 * row.seconds:9.2f} {row.seconds / whole:6.0%} {row.bytes / 1e3:9.1f} "
                f"{row.bytes / seconds / limits.bandwidth:12.0%} {row.flops / 1e3:9.1f} "
                f"{row.flops / seconds / limits.products:11.0%}  {row.what}"
            )
        lines.append(
            f"{1e6 * self.seconds:9.2f}   all   ceilings: {limits.bandwidth / 1e9:.1f} GB/s copied, "
            f"{limits.products / 1e9:.0f} GFLOP/s in products of float32 matrices"
        )
        return "\n".join(lines)


def timeline(program: Program) -> Timeline:
    """Run a program's steps one by one on made-up inputs, ones and zeros, and time each."""
    executable = Stepwise(program)
    arrays = [_made_up(program.shapes[n], program.dtypes[n]) for n in program.inputs]
    with np.errstate(all="ignore"):
        times = executable.times(arrays)
    plan = executable.plan
    rows = [
        Row(title(step), seconds, _bytes(step, plan), _flops(step, plan))
        for step, seconds in zip(plan.steps, times, strict=True)
    ]
    return Timeline(rows, ceilings())


def _made_up(shape: tuple[int, ...], dtype: np.dtype[Any]) -> ndarray:
    """Return zeros of whole numbers, and ones of others; a square matrix has a large diagonal.

    A matrix of ones has no inverse and no factors, and what computes these would raise.
    """
    if dtype.kind in "biu":
        return np.zeros(shape, dtype)
    found = np.ones(shape, dtype)
    if len(shape) > 1 and shape[-1] == shape[-2]:
        np.einsum("...ii->...i", found)[...] += shape[-1]
    return found


def _bytes(step: Step, plan: Plan) -> int:
    if isinstance(step, Kernel):
        emission, buffers = plan.emissions[id(step)], plan.lowered.buffers
        return sum(buffers[n].bytes for n in emission.parameters if n not in emission.row_buffers)
    touched = {b.number: b for b in (*step.reads, *step.filled) if isinstance(b, Buffer)}
    return sum(b.bytes for b in touched.values())


def _flops(step: Step, plan: Plan) -> int:
    if isinstance(step, Contraction):
        return 2 * prod(step.extents) * prod(step.batch)
    if isinstance(step, Precompiled):
        return step.flops
    if isinstance(step, (Loop, Branch)):
        bodies = [sum(_flops(inner, body) for inner in body.steps) for body in plan.bodies[id(step)]]
        # How often a loop with a condition runs is not known: it counts as once.
        return max(step.length, 1) * sum(bodies) if isinstance(step, Loop) else max(bodies)
    if not isinstance(step, Kernel):
        return 0
    total = 0
    for node in step.nodes:
        shape: tuple[int, ...] = node.shape  # type: ignore[attr-defined]  # maps and reductions have one
        total += probe(node.body, shape).count * prod(shape)  # type: ignore[attr-defined]
    return total
