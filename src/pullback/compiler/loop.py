"""Writing a loop over steps as a native function: the carry, and pointers that move from slice to slice.

A carry is read in one place and written in another. Small ones lie on the stack and are copied after each
step, which LLVM makes registers of; large ones change places.
"""

from __future__ import annotations

from .llvm.emitter import Module
from .lowered import Loop
from .plan import Plan, aligned

#: Bytes of a carry that is copied from step to step rather than changing places.
SMALL = 256


def write_loop(loop: Loop, plan: Plan, body: str, module: Module, functions: list[str]) -> str:
    """Add the function of (scratch, operands, outputs) to `functions`, and return its name.

    `body` names the function of one step (see `writer.Writer.body`).
    """
    module.declare("llvm.memcpy.p0.p0.i64", "void", "ptr", "ptr", "i64", "i1 immarg")
    return _LoopWriter(loop, plan, body, module.name("loop")).write(functions)


class _LoopWriter:
    def __init__(self, loop: Loop, plan: Plan, body: str, name: str) -> None:
        self.loop = loop
        self.plan = plan
        self.body = body
        self.name = name
        self.lowered = plan.lowered
        inputs, outputs = self.lowered.inputs, self.lowered.outputs
        count = len(outputs) - bool(self.lowered.checked)
        self.carries = inputs[: loop.carries]
        self.stacked = outputs[loop.carries : count]
        self.entry: list[str] = []
        self.phis: list[str] = []
        self.step: list[str] = []

    def write(self, functions: list[str]) -> str:
        loop = self.loop
        parameters = ["%scratch", *(f"%o{n}" for n in range(len(loop.operands)))]
        parameters += [f"%r{n}" for n in range(len(loop.outputs))]
        head = ", ".join(f"ptr noalias {p}" for p in parameters)
        carried = self._carry()
        slices = [
            self._slice(f"%o{loop.carries + n}", f"%i{n}", stride) for n, stride in enumerate(loop.slices)
        ]
        held = [f"%o{n}" for n in range(loop.carries + len(loop.slices), len(loop.operands))]
        written = [
            self._slice(f"%r{loop.carries + n}", f"%w{n}", b.bytes) for n, b in enumerate(self.stacked)
        ]
        given = [
            "%scratch",
            *(now for now, _ in carried),
            *slices,
            *held,
            *(new for _, new in carried),
            *written,
        ]
        if self.lowered.checked:
            self.entry += ["  %wrong = alloca i8", "  %any = alloca i8", "  store i8 0, ptr %any"]
            given.append("%wrong")
        self.step.append(f"  call void @{self.body}({', '.join(f'ptr {p}' for p in given)})")
        if self.lowered.checked:
            self.step += [
                "  %flag = load i8, ptr %wrong", "  %before = load i8, ptr %any",
                "  %either = or i8 %flag, %before", "  store i8 %either, ptr %any",
            ]  # fmt: skip
        last = self._after(carried)
        number = f"  %s = sub i64 {loop.length - 1}, %t" if loop.reverse else "  %s = add i64 %t, 0"
        lines = [
            f"define internal void @{self.name}({head}) #0 {{", "entry:", *self.entry, "  br label %head",
            "head:",
            "  %t = phi i64 [0, %entry], [%next, %step]", *self.phis,
            f"  %more = icmp slt i64 %t, {loop.length}", "  br i1 %more, label %step, label %exit", "step:",
            number, *self.step, "  %next = add nuw nsw i64 %t, 1", "  br label %head", "exit:", *last,
            "  ret void", "}",
        ]  # fmt: skip
        functions.append("\n".join(lines))
        return self.name

    def _carry(self) -> list[tuple[str, str]]:
        """(where a step reads, where it writes) for each carry."""
        result = []
        offset = self.plan.arena_bytes
        for n, buffer in enumerate(self.carries):
            size = buffer.bytes
            if size <= SMALL:
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

    def _slice(self, base: str, name: str, stride: int) -> str:
        if not stride:
            return base
        self.step.append(f"  {name}_ = mul nuw nsw i64 %s, {stride}")
        self.step.append(f"  {name} = getelementptr i8, ptr {base}, i64 {name}_")
        return name

    def _after(self, carried: list[tuple[str, str]]) -> list[str]:
        """What follows the steps; the copies of small carries follow each."""
        last = []
        for n, (buffer, (now, new)) in enumerate(zip(self.carries, carried, strict=True)):
            if buffer.bytes <= SMALL:
                self.step.append(_copy(now, new, buffer.bytes))
            last.append(_copy(f"%r{n}", now, buffer.bytes))
        if self.lowered.checked:
            last += ["  %found = load i8, ptr %any", f"  store i8 %found, ptr %r{len(self.loop.outputs) - 1}"]
        return last


def _copy(target: str, source: str, size: int) -> str:
    return f"  call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 false)"
