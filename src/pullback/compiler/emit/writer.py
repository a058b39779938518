"""Writing the functions that run a plan's steps in order: kernels, matrix products, loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from ..lower.filling import Call
from ..lower.kernel import Kernel
from ..lower.kernel_writer import Emission
from ..lower.lowered import Branch, Contraction, Loop, Precompiled, Routine
from ..passes import parallel_rows
from ..passes.memory_plan import Plan
from ..runtime.thread_pool import PARALLEL, pool
from . import tables
from .codegen import Code, Effort
from .loop import write_branch, write_loop
from .modules import WIDE, Kernels
from .product import WORDS, Product

#: Kernels of a module, and calls of them, up to which LLVM may inline them into the function that calls them
#: all.
INLINED, CALLED = 12, 60
#: Lines of a kernel that is not inlined either.
LENGTHY = 300
#: Steps of one native function.
STRETCH = 200


class Writer:
    """Write the functions that run the steps in order."""

    def __init__(self, plan: Plan, kernels: Kernels, whole: Writer | None = None) -> None:
        self.plan = plan
        self.kernels = kernels
        self.module = kernels.module
        self.emissions = plan.emissions
        #: After how many steps of the whole it ends if it refuses its inputs; 0 where it does not look.
        self.settled = plan.settled if whole is None else 0
        self.names: list[str] = []
        # What the functions of a program share, those of loops included.
        #: Those with loops, and those that call others.
        self.functions: list[str] = [] if whole is None else whole.functions
        self.calling: list[str] = [] if whole is None else whole.calling
        #: Those that only fill a table for code of another library.
        self.filling: list[str] = [] if whole is None else whole.filling
        #: What gives the addresses of functions of other libraries.
        self.symbols: dict[str, Callable[[], int]] = {} if whole is None else whole.symbols
        self.parts: dict[tuple[Any, ...], str] = {} if whole is None else whole.parts
        self.products: dict[Product, str] = {} if whole is None else whole.products
        self._calls = 0
        #: Whether the functions find buffers by the table of pointers; those of loops are given them.
        self.has_table = True

    def segments(self) -> list[Any]:
        """Return names of native functions, and the calls between them."""
        result: list[Any] = []
        native: list[Any] = []
        settled = 0
        if any(isinstance(step, Call) for step in self.plan.steps):
            # Between the functions it is seen that one has refused.
            settled, self.settled = self.settled, 0
        for n, step in enumerate(self.plan.steps):
            if native and (isinstance(step, Call) or n == settled):
                result.append(self._function(native))
                native = []
            (result if isinstance(step, Call) else native).append(step)
        if native:
            result.append(self._function(native))
        return result

    def _function(self, steps: list[Any]) -> str:
        name = f"segment{len(self.names)}"
        self.names.append(name)
        if len(steps) <= STRETCH:
            self._write(self._head(f"void @{name}"), {}, steps, self.settled)
            return name
        # LLVM takes more than twice the time for twice the instructions of one function.
        calls = []
        starts = {*range(0, len(steps), STRETCH), self.settled} - {len(steps)}
        for start, end in pairwise([*sorted(starts), len(steps)]):
            if start and start == self.settled:
                calls += self._ending()
            part = self.module.name("stretch")
            head = self._head(f"internal void @{part}", "noinline ")
            self._write(head, {}, steps[start:end])
            calls.append(f"  call void @{part}(ptr %table)")
        self.calling.append("\n".join([self._head(f"void @{name}")[0], *calls, "  ret void", "}"]))
        return name

    def _ending(self) -> list[str]:
        """Return lines that end a function of the table if the program refuses its inputs."""
        slot = self.plan.slots[self.plan.lowered.outputs[-1].number]
        return [
            f"  %refusal_ = getelementptr i64, ptr %table, i64 {slot}",
            "  %refusal = load ptr, ptr %refusal_",
            "  %wrong = load i8, ptr %refusal", "  %refused = icmp ne i8 %wrong, 0",
            "  br i1 %refused, label %refusing, label %accepting", "refusing:", "  ret void", "accepting:",
        ]  # fmt: skip

    def _head(self, name: str, inlining: str = "") -> list[str]:
        """Return the first lines of a function of the table."""
        return [f"define {name}(ptr %table) {inlining}#0 {{", "  %arena = load ptr, ptr %table"]

    def body(self) -> str:
        """Write the plan's steps as a function of (arena, pointers by slot), and return its name."""
        name = self.module.name("body")
        self.has_table = False
        pointers = {number_: f"%x{slot}" for number_, slot in self.plan.slots.items()}
        parameters = ", ".join(["ptr noalias %arena", *(f"ptr noalias {p}" for p in pointers.values())])
        self._write([f"define internal void @{name}({parameters}) #0 {{"], pointers, self.plan.steps)
        return name

    def _write(
        self, head: list[str], pointers: dict[int, str], steps: Sequence[Any], settled: int = 0
    ) -> None:
        self.lines = head
        self.pointers = pointers
        self.shifted: set[str] = set()
        for n, step in enumerate(steps):
            if n and n == settled:
                self.lines += self._ending()
            if isinstance(step, (Kernel, Routine)):
                self._kernel(step)
            elif isinstance(step, (Loop, Branch)):
                self._bodies(step)
            elif isinstance(step, Precompiled):
                self._precompiled(step)
            else:
                self._contraction(step)
        # The body of a loop runs as often as the loop goes round.
        (self.calling if self.has_table else self.functions).append(
            "\n".join([*self.lines, "  ret void", "}"])
        )

    def _bodies(self, step: Loop | Branch) -> None:
        plans = self.plan.bodies[id(step)]
        names = [Writer(plan, self.kernels, self).body() for plan in plans]
        write = write_loop if isinstance(step, Loop) else write_branch
        name = write(step, plans, names, self.module, self.functions)  # type: ignore[arg-type]  # of its kind
        scratch = self._pointer(self.plan.scratch(step))
        operands = [scratch, *(self._pointer(b.number) for b in (*step.operands, *step.outputs))]
        self.lines.append(f"  call void @{name}({', '.join(f'ptr {p}' for p in operands)})")

    def _pointer(self, buffer_number: int) -> str:
        if (name := self.pointers.get(buffer_number)) is None:
            name = self.pointers[buffer_number] = (
                f"%b{buffer_number}" if buffer_number >= 0 else f"%s{-buffer_number}"
            )
            self.lines += self._found(name, buffer_number)
        return name

    def _found(self, name: str, buffer_number: int) -> list[str]:
        """Return lines that find a buffer by the table."""
        if (slot := self.plan.slots.get(buffer_number)) is None:
            return [f"  {name} = getelementptr i8, ptr %arena, i64 {self.plan.offsets[buffer_number]}"]
        return [f"  {name}_ = getelementptr i64, ptr %table, i64 {slot}", f"  {name} = load ptr, ptr {name}_"]

    def _kernel(self, kernel: Kernel | Routine) -> None:
        emission = self.emissions[id(kernel)]
        if emission.parts == 1 and self.has_table and len(emission.parameters) > WIDE:
            text = self._of_table(emission)
            name = self.kernels.name(text)
            self.lines.append(f"  call void @{name}(ptr %table, i64 0, i64 {emission.rows})")
            return
        if emission.parts > 1:
            self._parts(kernel, emission, self.kernels.name(emission.text))
            return
        name, sizes = self.kernels.called(emission.text)
        operands = ", ".join(f"ptr {self._moved(self._pointer(p), p, emission)}" for p in emission.parameters)
        self.lines.append(
            f"  call void @{name}({operands}{', ' if operands else ''}i64 0, i64 {emission.rows}{sizes})"
        )

    def _of_table(self, emission: Emission) -> str:
        """Return a kernel that finds its buffers itself, without pointers: LLVM knows which lie apart."""
        head, entry, *rest = emission.text.split("\n")
        lines = ["(ptr %table, i64 %lo, i64 %hi)" + head[head.index(")") + 1 :], entry]
        lines.append("  %arena = load ptr, ptr %table")
        for k, buffer_number in enumerate(emission.parameters):
            moved = emission.moved.get(buffer_number)
            lines += self._found(f"%f{k}" if moved else f"%p{k}", buffer_number)
            if moved:
                lines.append(f"  %p{k} = getelementptr i8, ptr %f{k}, i64 {moved}")
        return "\n".join([*lines, *rest])

    def _parts(self, kernel: Kernel | Routine, emission: Emission, name: str) -> None:
        """Run a kernel's parts on threads, and join what they gathered."""
        buffers, parts = self.plan.lowered.buffers, emission.parts
        self._parallel()
        places = parallel_rows.places(emission)
        scratch = self._pointer(self.plan.scratch(kernel)) if emission.partials else ""
        slots: dict[int, str] = {}
        for number_, offset in places.offsets.items():
            slots[number_] = f"{scratch}_{number_}"
            self.lines.append(f"  {slots[number_]} = getelementptr i8, ptr {scratch}, i64 {offset}")
        strides = []
        for number_ in emission.parameters:
            elements = emission.row_buffers.get(number_, 0)
            if number_ in slots:
                elements = buffers[number_].size
            strides.append(parallel_rows.stride(elements, buffers[number_].dtype))
        key = (name, *strides)
        if (function := self.parts.get(key)) is None:
            function = self.parts[key] = f"part{len(self.parts)}"
            self.calling.append(parallel_rows.part_function(function, name, strides))
        pointers = [self._moved(slots.get(p) or self._pointer(p), p, emission) for p in emission.parameters]
        self._calls += 1
        self.lines += parallel_rows.call(pointers, function, emission.rows, parts, f"%context{self._calls}")
        for partial in emission.partials:
            number_ = partial.buffer.number
            text = parallel_rows.joining(partial, parts, self.module)
            joining = self.kernels.name(text, "joining")
            self.lines.append(f"  call void @{joining}(ptr {self._pointer(number_)}, ptr {slots[number_]})")

    def _precompiled(self, step: Precompiled) -> None:
        kernel = step.kernel
        cut = kernel.cut(step.images)
        self._parallel()
        self.symbols[kernel.name] = lambda: kernel.part
        part = self.module.declare(kernel.name, "void", "ptr", "i64")
        arrays = ["null" if b is None else self._pointer(b.number) for b in step.operands]
        scratch = self._pointer(self.plan.scratch(step))
        self._calls += 1
        numbers = () if kernel.mending is None else kernel.mending.numbers
        table = f"%table{self._calls}"
        entries = [*(f"ptr {p}" for p in (*arrays, scratch)),
                   *(f"i64 {n}" for n in (cut.units, cut.rows, cut.splits, *numbers))]  # fmt: skip
        self.lines += tables.written(table, len(entries), enumerate(entries))
        self.lines.append(f"  call void @{PARALLEL}(ptr @{part}, ptr {table}, i64 {cut.parts})")
        if kernel.joins and cut.rows > 1:
            self.symbols[f"{kernel.name}_joining"] = lambda: kernel.joining
            joining = self.module.declare(f"{kernel.name}_joining", "void", "ptr")
            self.lines.append(f"  call void @{joining}(ptr {table})")
        if kernel.mending is not None:
            self.symbols[kernel.mending.name] = kernel.mending.address
            function = self.module.declare(kernel.mending.name, "void", "ptr")
            self.lines.append(f"  call void @{function}(ptr {table})")

    def _contraction(self, step: Contraction) -> None:
        size, name = step.buffer.dtype.itemsize, self._product_name(Product.of(step))
        given = [
            self._shifted(self._pointer(m.buffer.number), m.offset * size) for m in (step.left, step.right)
        ]
        given += [self._pointer(step.buffer.number), self._pointer(self.plan.scratch(step))]
        operands = ", ".join(f"ptr {p}" for p in given)
        self.lines.append(f"  call void @{name}({operands})")

    def _product_name(self, made: Product) -> str:
        if (name := self.products.get(made)) is None:
            name = self.products[made] = self.module.name("product")
            self.filling.append(self._product(name, made))
        return name

    def _product(self, name: str, made: Product) -> str:
        """Return the function of (left, right, result, scratch) that runs a product's parts."""
        code, words = made.code, made.numbers()
        called = made.called()
        for function in (code, *called.values()):
            self.symbols[function.name] = function.address
            self.module.declare(function.name, "void", "ptr", "i64")
        part, parts = code.name, made.grid().parts
        numbers = self.module.name("numbers")
        self.filling.append(
            f"@{numbers} = private unnamed_addr constant [{len(words)} x i64] "
            f"[{', '.join(f'i64 {n}' for n in words)}]"
        )
        entries = dict(enumerate(("ptr %a", "ptr %b", "ptr %c", "ptr %scratch", f"ptr @{numbers}")))
        entries.update((n, f"ptr @{function.name}") for n, function in called.items())
        lines = [
            f"define internal void @{name}(ptr %a, ptr %b, ptr %c, ptr %scratch) noinline nounwind #0 {{",
            *tables.written("%table", WORDS, entries.items()),
        ]
        if parts == 1:
            lines.append(f"  call void @{part}(ptr %table, i64 0)")
        else:
            self._parallel()
            lines.append(f"  call void @{PARALLEL}(ptr @{part}, ptr %table, i64 {parts})")
        return "\n".join([*lines, "  ret void", "}"])

    def _moved(self, pointer: str, buffer_number: int, emission: Emission) -> str:
        """Return the pointer that a kernel takes for a buffer that begins at `pointer`."""
        return self._shifted(pointer, emission.moved.get(buffer_number, 0))

    def _shifted(self, pointer: str, distance: int) -> str:
        """Return what lies some bytes behind a pointer."""
        if not distance:
            return pointer
        if (name := f"{pointer}.{distance}") not in self.shifted:
            self.shifted.add(name)
            self.lines.append(f"  {name} = getelementptr i8, ptr {pointer}, i64 {distance}")
        return name

    def _parallel(self) -> None:
        """Have the function at hand that runs parts on threads."""
        self.symbols[PARALLEL] = lambda: pool().address
        self.module.declare(PARALLEL, "void", "ptr", "ptr", "i64")

    def text(self) -> str:
        """Return all functions, as one module."""
        return self._whole(self.filling)

    def _whole(self, others: Sequence[str]) -> str:
        own = [*self.functions, *self.calling]
        names = self.kernels.names
        calls = sum(text.count("  call void @kernel") for text in own)
        many = self.kernels.apart or len(names) > INLINED or calls > CALLED
        return self.kernels.whole([*own, *others], lambda text: not many and text.count("\n") <= LENGTHY)

    def code(self) -> Code:
        """Return the machine code."""
        if self.kernels.apart:
            return self.kernels.compiled(self.functions, [*self.calling, *self.filling])
        effort = Effort(straight=self.plan.is_straight)
        return self.kernels.beside(self._whole, effort, self.filling)
