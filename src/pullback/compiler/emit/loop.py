"""Writing loops and branches as native functions, which call the functions of their bodies.

A loop's carry is read in one place and written in another. Small carries lie on the stack and are copied
after each step, which LLVM makes registers of; large ones change places. What is sliced is a pointer that
moves.
"""

from collections.abc import Sequence

from ..lower.lowered import Branch, Loop
from ..passes.memory_plan import Plan, aligned
from .emitter import Module

#: Bytes of a carry that is copied from step to step rather than changing places.
SMALL = 256


def write_loop(
    loop: Loop, plans: Sequence[Plan], names: Sequence[str], module: Module, functions: list[str]
) -> str:
    """Add the function of (scratch, operands, outputs) to `functions`, and return its name.

    `names` are those of the functions of the bodies (see `writer.Writer.body`).
    """
    module.declare("llvm.memcpy.p0.p0.i64", "void", "ptr", "ptr", "i64", "i1 immarg")
    name = module.name("loop")
    functions.append(_LoopWriter(loop, plans, names, name).text())
    return name


def write_branch(
    branch: Branch, plans: Sequence[Plan], names: Sequence[str], module: Module, functions: list[str]
) -> str:
    """Add the function of (scratch, operands, outputs) to `functions`, and return its name."""
    name = module.name("branch")
    count = len(branch.outputs)
    operands = [f"%o{n}" for n in range(len(branch.operands))]
    results = [f"%r{n}" for n in range(count)]
    lines = [
        f"define internal void @{name}({_parameters(['%scratch', *operands, *results])}) #0 {{", "entry:",
        "  %flag = load i8, ptr %o0", "  %taken = trunc i8 %flag to i1",
        "  br i1 %taken, label %first, label %second",
    ]  # fmt: skip
    for label, plan, body in zip(("first", "second"), plans, names, strict=True):
        given = ["%scratch", *operands[1:], *results[: len(plan.lowered.outputs)]]
        lines += [f"{label}:", _call(body, given)]
        if len(plan.lowered.outputs) < count:
            lines.append(f"  store i8 0, ptr {results[-1]}")
        lines.append("  br label %exit")
    functions.append("\n".join([*lines, "exit:", "  ret void", "}"]))
    return name


def _parameters(names: Sequence[str]) -> str:
    return ", ".join(f"ptr noalias {name}" for name in names)


def _call(name: str, operands: Sequence[str]) -> str:
    return f"  call void @{name}({', '.join(f'ptr {p}' for p in operands)})"


def _copy(target: str, source: str, size: int) -> str:
    return f"  call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 false)"


class _LoopWriter:
    """Write one loop."""

    def __init__(self, loop: Loop, plans: Sequence[Plan], names: Sequence[str], name: str) -> None:
        self.loop = loop
        self.plans = plans
        self.names = names
        self.name = name
        self.lowered = lowered = plans[0].lowered
        self.carries = lowered.inputs[: loop.carries]
        self.stacked = lowered.outputs[loop.carries : len(lowered.outputs) - bool(lowered.checked)]
        self.entry: list[str] = []
        self.phis: list[str] = []
        self.step: list[str] = []

    def text(self) -> str:
        """Return the function."""
        loop = self.loop
        operands = [f"%o{n}" for n in range(len(loop.operands))]
        results = [f"%r{n}" for n in range(len(loop.outputs))]
        carried = self._carry()
        first = loop.carries
        slices = [self._slice(operands[first + n], f"%i{n}", *place) for n, place in enumerate(loop.slices)]
        held = operands[first + len(slices) :]
        written = [self._slice(results[first + n], f"%w{n}", b.bytes) for n, b in enumerate(self.stacked)]
        given = ["%scratch", *(now for now, _ in carried), *slices, *held, *(new for _, new in carried)]
        given += written
        if self.lowered.checked:
            self.entry += ["  %wrong = alloca i8", "  %any = alloca i8", "  store i8 0, ptr %any"]
            given.append("%wrong")
        self.step.append(_call(self.names[0], given))
        if self.lowered.checked:
            self.step += [
                "  %flag = load i8, ptr %wrong", "  %before = load i8, ptr %any",
                "  %either = or i8 %flag, %before", "  store i8 %either, ptr %any",
            ]  # fmt: skip
        last = self._after(carried)
        condition = self._condition([now for now, _ in carried], held)
        number = f"  %s = sub i64 {loop.length - 1}, %t" if loop.reverse else "  %s = add i64 %t, 0"
        lines = [
            f"define internal void @{self.name}({_parameters(['%scratch', *operands, *results])}) #0 {{",
            "entry:", *self.entry, "  br label %head", "head:",
            "  %t = phi i64 [0, %entry], [%next, %step]", *self.phis,
            *condition, "  br i1 %more, label %step, label %exit", "step:",
            number, *self.step, "  %next = add nuw nsw i64 %t, 1", "  br label %head", "exit:", *last,
            "  ret void", "}",
        ]  # fmt: skip
        return "\n".join(lines)

    def _condition(self, carried: Sequence[str], held: Sequence[str]) -> list[str]:
        """Return whether there is another step."""
        if len(self.plans) == 1:
            return [f"  %more = icmp slt i64 %t, {self.loop.length}"]
        self.entry.append("  %goes = alloca i8")
        offset = aligned(self.plans[0].arena_bytes) + sum(2 * aligned(b.bytes) for b in self.carries)
        self.entry.append(f"  %arena = getelementptr i8, ptr %scratch, i64 {offset}")
        return [
            _call(self.names[1], ["%arena", *carried, *held, "%goes"]),
            "  %on = load i8, ptr %goes", "  %more = trunc i8 %on to i1",
        ]  # fmt: skip

    def _carry(self) -> list[tuple[str, str]]:
        """Return (where a step reads, where it writes) for each carry."""
        result = []
        offset = aligned(self.plans[0].arena_bytes)
        for n, buffer in enumerate(self.carries):
            if (size := buffer.bytes) <= SMALL:
                for place in (f"%c{n}", f"%n{n}"):
                    self.entry.append(f"  {place} = alloca [{size} x i8], align 64")
                result.append((f"%c{n}", f"%n{n}"))
            else:
                for place in (f"%c{n}", f"%n{n}"):
                    self.entry.append(f"  {place} = getelementptr i8, ptr %scratch, i64 {offset}")
                    offset += aligned(size)
                self.phis.append(f"  %cp{n} = phi ptr [%c{n}, %entry], [%np{n}, %step]")
                self.phis.append(f"  %np{n} = phi ptr [%n{n}, %entry], [%cp{n}, %step]")
                result.append((f"%cp{n}", f"%np{n}"))
            self.entry.append(_copy(f"%c{n}", f"%o{n}", size))
        return result

    def _slice(self, base: str, name: str, stride: int, first: int = 0) -> str:
        if first:
            self.entry.append(f"  {name}_0 = getelementptr i8, ptr {base}, i64 {first}")
            base = f"{name}_0"
        if not stride:
            return base
        self.step.append(f"  {name}_ = mul nsw i64 %s, {stride}")
        self.step.append(f"  {name} = getelementptr i8, ptr {base}, i64 {name}_")
        return name

    def _after(self, carried: list[tuple[str, str]]) -> list[str]:
        """Return what follows the steps; the copies of small carries follow each."""
        last = []
        for n, (buffer, (now, new)) in enumerate(zip(self.carries, carried, strict=True)):
            if buffer.bytes <= SMALL:
                self.step.append(_copy(now, new, buffer.bytes))
            last.append(_copy(f"%r{n}", now, buffer.bytes))
        if self.lowered.checked:
            last += ["  %found = load i8, ptr %any", f"  store i8 %found, ptr %r{len(self.loop.outputs) - 1}"]
        return last
