"""A scheduled program's memory: what its steps emit, and where each of their buffers lies.

Buffers that live at different times share places in one arena, whose size is known when the program is
compiled. A loop's body has a plan of its own, whose arena is a part of the loop's scratch memory.
"""

import re
from bisect import insort
from collections.abc import Sequence
from heapq import heappop, heappush

from ...array.locks import computed
from ...core.op import TABLE
from ..emit.emitter import Emitter
from ..emit.modules import DENSE, MANY, WIDE, Kernels
from ..emit.product import Product
from ..lower.buffer import ALIGNMENT, Buffer
from ..lower.equations import SMALL, Result
from ..lower.filling import Call
from ..lower.kernel import Kernel
from ..lower.kernel_writer import Accesses, Emission, emit
from ..lower.lowered import Branch, Contraction, Loop, Precompiled, Routine
from . import parallel_rows
from .fusion import Step, schedule
from .pipeline import planned

#: Buffers up to which each is given the first place that fits, for which all others are looked at.
FITTED = 1000
#: Rows up to which a kernel is told how many it has: LLVM writes such a loop out, not one for vectors and one
#: for what is left. Machine code of 400 kernels on rows of 1 to 4 took it 2.7 s, and takes 1.4. A Kalman
#: filter of three numbers, most of whose kernels are in loops, took 1.74 s for a first call, and takes 0.89.
FEW = 16
#: The parameters of a kernel that say which rows it works off; other names may begin so.
_ENDS = re.compile(r"%(?:lo|hi)(?![\w.])")


class Plan:
    """Say where a program's buffers are."""

    def __init__(self, lowered: Result, kernels: Kernels, whole: bool = True) -> None:
        self.lowered = lowered
        self.kernels = kernels
        self.whole = whole
        self.steps: list[Step] = []
        #: Of kernels and routines, by the step's identity.
        self.emissions: dict[int, Emission] = {}
        #: Of the bodies of loops and branches.
        self.bodies: dict[int, list[Plan]] = {}
        #: Of the buffers that are given from outside: which pointer of the table each is.
        self.slots = {b.number: 1 + n for n, b in enumerate((*lowered.inputs, *lowered.outputs))}
        for buffer_number in lowered.constants:
            self.slots[buffer_number] = 1 + len(self.slots)
        #: Of the others: where in the arena each begins.
        self.offsets: dict[int, int] = {}
        self.arena_bytes = 0

    @computed
    def _numbers(self) -> dict[int, int]:
        """Return the steps' numbers, by identity."""
        return {id(step): n for n, step in enumerate(self.steps)}

    @computed
    def _filling(self) -> dict[int, int]:
        """Return the numbers of the kernels and routines that fill buffers."""
        filling: dict[int, int] = {}
        for n, step in enumerate(self.steps):
            if isinstance(step, (Kernel, Routine)):
                filled = step.fills if isinstance(step, Kernel) else (step.buffer.number,)
                filling.update(dict.fromkeys(filled, n))
        return filling

    @computed
    def _reading(self) -> dict[int, set[int]]:
        """Return the numbers of the steps that read buffers."""
        return _readers(self.steps)

    def scratch(self, step: Step) -> int:
        """Return the number of a step's scratch memory (see `scratch_of`)."""
        return scratch_of(self._numbers[id(step)])

    @property
    def is_parallel(self) -> bool:
        """Tell whether steps run in parts on threads."""
        return (
            any(e.parts > 1 for e in self.emissions.values())
            or any(isinstance(step, Precompiled) for step in self.steps)
            or any(isinstance(s, Contraction) and Product.of(s).grid().parts > 1 for s in self.steps)
            or any(plan.is_parallel for plans in self.bodies.values() for plan in plans)
        )

    @property
    def is_straight(self) -> bool:
        """Tell whether most of it is a stretch of scalar operations."""
        kernels = [step for step in self.steps if isinstance(step, Kernel)]
        scalars = sum(len(kernel.nodes) for kernel in kernels if kernel.size == 1)
        return 2 * scalars > sum(len(kernel.nodes) for kernel in kernels)

    @computed
    def settled(self) -> int:
        """Count the steps after which no array kernel runs and refusals are known."""
        called = max((n + 1 for n, step in enumerate(self.steps) if isinstance(step, Call)), default=0)
        if not self.lowered.checked:
            return called
        flag = self.lowered.outputs[-1]
        if (filling := self._filling.get(flag.number)) is None:
            filling = next(n for n, step in enumerate(self.steps) if flag in getattr(step, "filled", ()))
        return max(filling + 1, called)

    def may_replace(self, before: Buffer, after: Buffer) -> bool:
        """Tell whether a step may write buffer `after` to `before`, given from outside, and none fails."""
        if (filling := self._filling.get(after.number)) is None or filling < self.settled:
            return False
        if any(n > filling for n in self._reading.get(before.number, ())):
            return False
        if isinstance((step := self.steps[filling]), Routine):
            return step.over is not None and step.over.number == before.number
        return self.emissions[id(step)].accesses.may_replace(before.number, after.number)


def scheduled(plan: Plan) -> Plan:
    """Group the nodes of a plan's program into steps."""
    plan.steps = schedule(plan.lowered.nodes, SMALL if plan.lowered.apart else 1)
    return plan


def emitted(plan: Plan) -> Plan:
    """Write the loops of a plan's kernels and routines."""
    kernels, module = plan.kernels, plan.kernels.module
    escaping = _escaping(plan.steps, plan.lowered)
    if plan.whole:
        nodes = [len(step.nodes) for step in plan.steps if isinstance(step, Kernel)]
        kernels.apart = len(nodes) > MANY or (sum(nodes) > DENSE and not plan.is_straight)
    for n, step in enumerate(plan.steps):
        if isinstance(step, Kernel):
            emission = plan.emissions[id(step)] = emit(step, module, escaping[n])
            if kernels.apart and len(emission.parameters) <= WIDE:
                # It is compiled while the next ones are written; for threads and loops, with its sizes in it.
                alone = _parts(emission) == 1
                if alone and emission.rows <= FEW:
                    emission.text = _with_rows(emission)
                (kernels.expect if alone and plan.whole else kernels.name)(emission.text)
        elif isinstance(step, Routine):
            ops = Emitter(module)
            step.write(ops)
            # It is worked off as a whole: its bounds say one row.
            plan.emissions[id(step)] = Emission(
                ops.function_text(), list(ops.parameters), 1, {}, [], 0.0, Accesses(), {}
            )
            if kernels.apart and plan.whole and len(ops.parameters) <= WIDE:
                kernels.wait(plan.emissions[id(step)].text)
    return plan


def _with_rows(emission: Emission) -> str:
    """Return the text of a kernel that always works off all rows, and says how many these are."""
    head, body = emission.text.split("\n", 1)
    ends = {"%lo": "0", "%hi": str(emission.rows)}
    return f"{head}\n{_ENDS.sub(lambda match: ends[match[0]], body)}"


def cut(plan: Plan) -> Plan:
    """Say how many parts each kernel is cut into."""
    for emission in plan.emissions.values():
        emission.parts = _parts(emission)
    return plan


def _parts(emission: Emission) -> int:
    """Return into how many parts a kernel is cut."""
    return parallel_rows.count(emission.rows, emission.work, bool(emission.partials))


def with_bodies(plan: Plan) -> Plan:
    """Plan the bodies of loops and branches."""
    plan.bodies = {
        id(step): [planned(body, plan.kernels, False) for body in step.bodies]
        for step in plan.steps
        if isinstance(step, (Loop, Branch))
    }
    return plan


def laid_out(plan: Plan) -> Plan:
    """Lay the temporaries out in the arena: first fit, by the steps between which each is alive."""
    sizes, spans = alive(plan)
    within = _in_place(plan.steps, sizes, spans)
    place = _fitted if len(sizes) <= FITTED else _in_order
    plan.offsets = place({b: aligned(size) for b, size in sizes.items()}, spans)
    ends = [offset + aligned(sizes[b]) for b, offset in plan.offsets.items()]
    plan.arena_bytes = max(ends, default=0)
    plan.offsets |= {b: plan.offsets[other] for b, other in within.items()}
    return plan


def _in_place(steps: Sequence[Step], sizes: dict[int, int], spans: dict[int, list[int]]) -> dict[int, int]:
    """Let calls that can write to the memory of their first operand, and routines that change a part of it,
    where that ends its life there; return which buffer lies in which. The others' sizes and spans remain.
    """
    within: dict[int, int] = {}
    for n, step in enumerate(steps):
        pair = None
        if isinstance(step, Call) and TABLE[step.op].into is not None:
            pair = step.outputs[0], step.operands[0]
        elif isinstance(step, Routine) and step.over is not None:
            pair = step.buffer, step.over
        if pair is not None:
            result, operand = pair[0].number, pair[1].number
            operand = within.get(operand, operand)
            if result in sizes and sizes.get(operand) == sizes[result] and spans[operand][1] == n:
                within[result] = operand
                spans[operand][1] = spans.pop(result)[1]
                del sizes[result]
    return within


def alive(plan: Plan) -> tuple[dict[int, int], dict[int, list[int]]]:
    """Return how many bytes each temporary of a plan takes, and the first and last step in which it lives."""
    sizes: dict[int, int] = {}
    spans: dict[int, list[int]] = {}
    for n, step in enumerate(plan.steps):
        own = None
        if isinstance(step, Kernel) and plan.emissions[id(step)].parts > 1:
            own = parallel_rows.places(plan.emissions[id(step)]).bytes
        elif isinstance(step, Contraction):
            own = Product.of(step).scratch()
        elif isinstance(step, Precompiled):
            own = step.kernel.scratch(step.kernel.cut(step.images))
        elif isinstance(step, (Loop, Branch)):
            arenas = [aligned(body.arena_bytes) for body in plan.bodies[id(step)]]
            own = sum(arenas) + carry_bytes(step) if isinstance(step, Loop) else max(arenas)
        if own is not None:
            sizes[scratch_of(n)] = own
            spans[scratch_of(n)] = [n, n]
        for buffer in _touched(step, plan.emissions, plan.lowered):
            if buffer.number in plan.slots:
                continue
            size = buffer.bytes
            if isinstance(step, Kernel) and buffer.number in plan.emissions[id(step)].row_buffers:
                size = _row_bytes(plan.emissions[id(step)], buffer)
            sizes[buffer.number] = max(size, sizes.get(buffer.number, 0))
            spans.setdefault(buffer.number, [n, n])[1] = n
    return sizes, spans


def _fitted(sizes: dict[int, int], spans: dict[int, list[int]]) -> dict[int, int]:
    """Return where each buffer begins: the largest first, each at the first place free in its life."""
    offsets = {}
    taken: list[tuple[int, int, int, int]] = []
    for buffer in sorted(sizes, key=lambda b: -sizes[b]):
        first, last = spans[buffer]
        size = sizes[buffer]
        offset = 0
        for begin, end, start, stop in taken:
            if stop < first or last < start or end <= offset:
                continue
            if begin >= offset + size:
                break
            offset = end
        insort(taken, (offset, offset + size, first, last))
        offsets[buffer] = offset
    return offsets


def _in_order(sizes: dict[int, int], spans: dict[int, list[int]]) -> dict[int, int]:
    """Return the same for very many buffers: each takes a dead one's memory of its size, or new memory."""
    offsets = {}
    top = 0
    alive: list[tuple[int, int, int]] = []
    free: dict[int, list[int]] = {}
    for buffer in sorted(sizes, key=lambda b: spans[b][0]):
        first, last = spans[buffer]
        while alive and alive[0][0] < first:
            _, size, offset = heappop(alive)
            free.setdefault(size, []).append(offset)
        size = sizes[buffer]
        if free.get(size):
            offset = free[size].pop()
        else:
            offset, top = top, top + size
        heappush(alive, (last, size, offset))
        offsets[buffer] = offset
    return offsets


def aligned(size: int) -> int:
    """Round a size up, so that what follows is aligned."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def carry_bytes(loop: Loop) -> int:
    """Return the memory for the carries of a loop: each is read in one place and written in another."""
    return sum(2 * aligned(b.bytes) for b in loop.bodies[0].inputs[: loop.carries])


def scratch_of(step: int) -> int:
    """Return the number, among those of buffers, of the memory that a step's parts write their sums to."""
    return -1 - step


def _row_bytes(emission: Emission, buffer: Buffer) -> int:
    """Return the memory for a row of a buffer that needs no more: one for each part."""
    elements = emission.row_buffers[buffer.number]
    if emission.parts == 1:
        return elements * buffer.dtype.itemsize
    return emission.parts * parallel_rows.stride(elements, buffer.dtype)


def _touched(step: Step, emissions: dict[int, Emission], lowered: Result) -> list[Buffer]:
    if isinstance(step, Kernel):
        return [lowered.buffers[n] for n in emissions[id(step)].parameters]
    return [*step.reads, *step.filled]


def _escaping(steps: Sequence[Step], lowered: Result) -> list[set[int]]:
    """Return, for each step, which of its buffers are read after it or outside it."""
    readers = _readers(steps)
    for buffer in lowered.outputs:
        readers.setdefault(buffer.number, set()).add(-1)
    own = [step.buffers if isinstance(step, Kernel) else () for step in steps]
    return [{number_ for number_ in own[n] if readers.get(number_, set()) - {n}} for n in range(len(steps))]


def _readers(steps: Sequence[Step]) -> dict[int, set[int]]:
    """Return the numbers of the steps that read a buffer, by its number."""
    readers: dict[int, set[int]] = {}
    for n, step in enumerate(steps):
        for node in step.nodes if isinstance(step, Kernel) else [step]:
            for buffer in node.reads:
                readers.setdefault(buffer.number, set()).add(n)
    return readers
