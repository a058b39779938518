"""Kernels as Python: the loops of a compiled program, for people to read.

A loop's body is run once on a handler that writes down what it is asked for, as the handlers that analyse,
interpret and emit it do (`handlers`), so the listing cannot say another thing than the native code does.
"""

from typing import Any

import numpy as np

from ...array.named_tuples import NamedTuple
from ..emit.scalars import FLOAT64
from ..lower.buffer import Buffer
from ..lower.equations import Result
from ..lower.filling import Call, Node
from ..lower.handlers import BINARY, COMPARISONS, MATHEMATICS, PARTS, UNARY, Pair
from ..lower.index import Atom, Index, Measured, Variable, atom_index, linear, strides_of
from ..lower.kernel import Kernel
from ..lower.kernel_writer import identity
from ..lower.lowered import COMBINE, Contraction, Loop, Map, Reduction
from ..passes.fusion import Step
from ..program.text import kind

_INFIX = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "and_": "&", "or_": "|", "xor": "^",
    "shl": "<<", "shr": ">>", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
#: Expressions longer than this get a name.
LONG = 48


class Text(NamedTuple):
    """A scalar of `Printer`: its dtype, and an expression; `atom`: it needs no parentheses."""

    dtype: np.dtype[Any]
    text: str
    atom: bool = True


def index_text(index: Index) -> str:
    """Return an index as an expression: ``3*i0 + i1``."""
    parts = []
    for atom, coefficient in index.terms.values():
        name = _atom_text(atom)
        parts.append(name if coefficient == 1 else f"{coefficient}*{name}")
    if index.constant or not parts:
        parts.append(str(index.constant))
    return " + ".join(parts).replace("+ -", "- ")


def _atom_text(atom: Atom) -> str:
    if isinstance(atom, Variable):
        return atom.name
    if isinstance(atom, Measured):
        return str(atom.value.text)
    return f"({index_text(atom.inner)} {'%' if atom.remainder else '//'} {atom.divisor})"


class Printer:
    """A handler of loop bodies that writes expressions, with a line for each that gets long."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._named: dict[str, str] = {}

    def made(self, text: str, dtype: np.dtype[Any], atom: bool = False) -> Text:
        """Return a scalar; one with a long expression is given a name."""
        if text in self._named:
            return Text(dtype, self._named[text])
        if len(text) <= LONG:
            return Text(dtype, text, atom)
        name = self._named[text] = f"t{len(self._named)}"
        self.lines.append(f"{name} = {text}")
        return Text(dtype, name)

    def load(self, buffer: Buffer, index: Index) -> Text | Pair:
        place = f"b{buffer.number}[{index_text(index)}]"
        if (part := PARTS.get(buffer.dtype)) is None:
            return Text(buffer.dtype, place)
        return Pair(Text(part, f"{place}.real"), Text(part, f"{place}.imag"))

    def load_part(self, buffer: Buffer, index: Index) -> Text:
        part = PARTS[buffer.dtype]
        return Text(part, f"b{buffer.number}.view({str(part)!r})[{index_text(index)}]")

    def index(self, index: Index, dtype: np.dtype[Any]) -> Text:
        return Text(dtype, f"({index_text(index)})")

    def place(self, x: Text, extent: int) -> Index:
        return atom_index(Measured(x, x.text, extent))

    def constant(self, value: Any, dtype: np.dtype[Any]) -> Text:
        number = np.asarray(value).astype(dtype)[()]
        shown = str(float(number)) if np.dtype(dtype).kind not in "biu" else repr(number.item())
        return Text(dtype, shown, not shown.startswith("-"))

    def cast(self, x: Text, dtype: np.dtype[Any]) -> Text:
        return x if x.dtype == dtype else self.made(f"{dtype}({x.text})", dtype, True)

    def select(self, condition: Text, x: Text, y: Text) -> Text:
        return self.made(f"{_inside(x)} if {_inside(condition)} else {_inside(y)}", x.dtype)

    def function(self, name: str, *xs: Text) -> Text:
        return self.made(f"{name}({', '.join(x.text for x in xs)})", xs[0].dtype, True)

    def operation(self, name: str, *xs: Text) -> Text:
        """Return an operation of `BINARY`, `COMPARISONS` or `UNARY`."""
        dtype = np.dtype(bool) if name in COMPARISONS else xs[0].dtype
        if name in _INFIX:
            return self.made(f"{_inside(xs[0])} {_INFIX[name]} {_inside(xs[1])}", dtype)
        if name == "neg":
            return self.made(f"-{_inside(xs[0])}", dtype)
        return self.function(name.rstrip("_"), *xs)


def _inside(x: Text) -> str:
    return x.text if x.atom else f"({x.text})"


def _operation(name: str) -> Any:
    def method(self: Printer, *xs: Text) -> Text:
        return self.operation(name, *xs)

    method.__name__ = name
    return method


for _name in (*BINARY, *COMPARISONS, *UNARY):
    setattr(Printer, _name, _operation(_name))
assert not set(MATHEMATICS) & {*BINARY, *COMPARISONS, *UNARY}


def listing(steps: list[Step], lowered: Result) -> str:
    """Return all steps of a program, with what they read and fill."""
    inputs = ", ".join(f"b{b.number}: {kind(b.shape, b.dtype)}" for b in lowered.inputs)
    outputs = ", ".join(f"b{b.number}" for b in lowered.outputs)
    parts = [f"# inputs: {inputs or 'none'}", f"# outputs: {outputs or 'none'}"]
    parts += [f"\n# {n}: {title(step)}\n{step_text(step)}" for n, step in enumerate(steps)]
    return "\n".join(parts)


def title(step: Step) -> str:
    """Return what a step is, in few words."""
    if isinstance(step, Kernel):
        count = len(step.nodes)
        return (
            f"kernel over {step.size} element{'s' * (step.size != 1)}, fills {count} "
            f"array{'s' * (count != 1)}"
        )
    if isinstance(step, Contraction):
        rows, columns, inner = step.extents
        times = f"{' x '.join(map(str, step.batch))} times " if step.batch else ""
        return f"matrix product, {times}{rows} x {inner} by {inner} x {columns}"
    if isinstance(step, Call):
        return f"array kernel {step.op}"
    if isinstance(step, Loop):
        return f"loop of {step.length} steps"
    return f"{type(step).__name__.lower()} that fills {', '.join(f'b{b.number}' for b in step.filled)}"


def step_text(step: Step) -> str:
    """Return a step as Python."""
    if isinstance(step, Kernel):
        return _kernel_text(step)
    if isinstance(step, Contraction):
        scale = "" if step.alpha == 1 else f"{step.alpha} * "
        return f"b{step.buffer.number} = {scale}b{step.left.buffer.number} @ b{step.right.buffer.number}"
    if isinstance(step, Call):
        outputs = ", ".join(f"b{b.number}" for b in step.outputs)
        operands = [f"b{o.number}" if isinstance(o, Buffer) else repr(o) for o in step.operands]
        return f"{outputs} = {step.op}({', '.join([*operands, *map(repr, step.attrs)])})"
    reads = ", ".join(f"b{b.number}" for b in step.reads)
    return f"{', '.join(f'b{b.number}' for b in step.filled)} = {type(step).__name__.lower()}({reads})"


def _kernel_text(kernel: Kernel) -> str:
    """Return the loops of a kernel: those over one shape together."""
    lines: list[str] = []
    shape: tuple[int, ...] | None = None
    printer = Printer()
    for node in kernel.nodes:
        own: tuple[int, ...] = node.shape  # type: ignore[attr-defined]  # maps and reductions have one
        variables = [Variable(f"i{n}", extent) for n, extent in enumerate(own)]
        loops = [v for v in variables if v.extent > 1]
        if own != shape or isinstance(node, Reduction):
            printer = Printer()
            shape = None if isinstance(node, Reduction) else own
            if isinstance(node, Reduction):
                lines.append(f"b{node.buffer.number}[:] = {identity(node.combine, FLOAT64)}")
            lines += ["    " * n + f"for {v.name} in range({v.extent}):" for n, v in enumerate(loops)]
        indent = "    " * len(loops)
        seen = len(printer.lines)
        text = _node_text(node, printer, variables)
        lines += [indent + line for line in (*printer.lines[seen:], text)]
    return "\n".join(lines)


def _node_text(node: Node, printer: Printer, variables: list[Variable]) -> str:
    indices = tuple(atom_index(v) for v in variables)
    value = node.body(printer, indices)  # type: ignore[attr-defined]  # maps and reductions have one
    text = f"complex({value.real.text}, {value.imag.text})" if isinstance(value, Pair) else value.text
    if isinstance(node, Map):
        return f"b{node.buffer.number}[{_place(node.buffer, variables)}] = {text}"
    assert isinstance(node, Reduction)
    kept = [v for a, v in enumerate(variables) if a not in node.axes]
    target = f"b{node.buffer.number}[{_place(node.buffer, kept)}]"
    word, _ = COMBINE[node.combine]
    return f"{target} {_INFIX[word]}= {text}" if word in _INFIX else f"{target} = {word}({target}, {text})"


def _place(buffer: Buffer, variables: list[Variable]) -> str:
    return index_text(linear((atom_index(v) for v in variables), strides_of(buffer.shape)))
