"""Programs as data, and the interpreter that runs one under a module that is torch or stands for it.

What this module must do:

- hold a program as a list of instructions with references and literals, equal for equal seeds;
- write any program down as a Python script that shows the same thing without this package;
- run a program under a module, go on after an instruction that raises, and note everything visible about each
  result: after its instruction, and again at the end, when in-place updates and gradients have arrived.

The interpreter evaluates the very text that the script prints, so that a reproducer cannot differ from what
ran.
"""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isfinite, nan
from types import CodeType
from typing import Any

#: dtypes that the widened program replaces, each by the one whose rounding is negligible beside the narrow
#: one's.
WIDER = {"float16": "float64", "bfloat16": "float64", "float32": "float64", "complex64": "complex128"}

ADDRESS = re.compile(r"0x[0-9a-f]+")


@dataclass(frozen=True)
class Ref:
    """The result of instruction number `index`, or item number `item` of it where it is a tuple."""

    index: int
    item: int | None = None

    def text(self) -> str:
        return f"v{self.index}" if self.item is None else f"v{self.index}[{self.item}]"


@dataclass(frozen=True)
class DType:
    """A dtype by its name in the module."""

    name: str


@dataclass(frozen=True)
class Literal:
    """A tensor constant: flat values in row order."""

    dtype: str
    shape: tuple[int, ...]
    values: tuple[Any, ...]
    requires_grad: bool = False


@dataclass(frozen=True)
class Code:
    """An expression in Python, for hooks and the like. It may say `torch`, `operator` and `log`."""

    source: str


@dataclass(frozen=True)
class Instruction:
    """One step: a function, a method (`.name`), an operator, `getitem`, `setitem`, `getattr`, `setattr` or
    `tensor`.

    `mode` names a context manager of torch's that the step runs in.
    """

    op: str
    args: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...] = ()
    mode: str = ""

    def references(self) -> Iterator[Ref]:
        yield from _references((self.args, tuple(value for _, value in self.kwargs)))


def _references(value: Any) -> Iterator[Ref]:
    if isinstance(value, Ref):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _references(item)
    elif isinstance(value, slice):
        yield from _references((value.start, value.stop, value.step))


def number(value: Any) -> str:
    """A Python number as an expression that gives it back, with inf and nan as names."""
    if isinstance(value, complex) and not (isfinite(value.real) and isfinite(value.imag)):
        return f"complex({value.real!r}, {value.imag!r})"
    return repr(value)


def nested(values: tuple[Any, ...], shape: tuple[int, ...]) -> str:
    """Flat values as the text of nested lists of a shape."""
    if not shape:
        return number(values[0])
    step = len(values) // shape[0] if shape[0] else 0
    return (
        "[" + ", ".join(nested(values[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])) + "]"
    )


def expression(value: Any, widen: bool) -> str:
    """An argument as Python source."""
    match value:
        case Ref():
            return value.text()
        case DType(name):
            return f"torch.{WIDER.get(name, name) if widen else name}"
        case Literal(dtype, shape, values, requires_grad):
            dtype = WIDER.get(dtype, dtype) if widen else dtype
            gradient = ", requires_grad=True" if requires_grad else ""
            if 0 in shape:
                return f"torch.zeros({shape!r}, dtype=torch.{dtype}{gradient})"
            return f"torch.tensor({nested(values, shape)}, dtype=torch.{dtype}{gradient})"
        case Code(source):
            return source
        case list():
            return "[" + ", ".join(expression(item, widen) for item in value) + "]"
        case tuple():
            inside = ", ".join(expression(item, widen) for item in value)
            return f"({inside},)" if len(value) == 1 else f"({inside})"
        case slice():
            return f"slice({', '.join(expression(v, widen) for v in (value.start, value.stop, value.step))})"
        case _ if value is Ellipsis:
            return "..."
        case complex() | float():
            return number(value)
        case _:
            return repr(value)


#: The operators that are written as such.
INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "and_": "&",
    "or_": "|",
    "xor": "^",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
    "lshift": "<<",
    "rshift": ">>",
}
PREFIX = {"neg": "-", "invert": "~", "pos": "+"}
AUGMENTED = {f"i{name.rstrip('_')}": f"{sign}=" for name, sign in INFIX.items()}


def source(instruction: Instruction, widen: bool = False) -> tuple[str, bool]:
    """The instruction as Python source, and whether that is a statement (which has no value)."""
    args = [expression(value, widen) for value in instruction.args]
    named = [f"{name}={expression(value, widen)}" for name, value in instruction.kwargs]
    match instruction.op:
        case "tensor":
            return args[0], False
        case "getitem":
            return f"{args[0]}[{_bare(args[1], instruction.args[1])}]", False
        case "setitem":
            return f"{args[0]}[{_bare(args[1], instruction.args[1])}] = {args[2]}", True
        case "getattr":
            return f"{args[0]}.{instruction.args[1]}", False
        case "setattr":
            return f"{args[0]}.{instruction.args[1]} = {args[2]}", True
        case op if op in INFIX:
            return f"{args[0]} {INFIX[op]} {args[1]}", False
        case op if op in PREFIX:
            return f"{PREFIX[op]}{args[0]}", False
        case op if op in AUGMENTED:
            return f"{args[0]} {AUGMENTED[op]} {args[1]}", True
        case op if op.startswith("."):
            return f"{args[0]}{op}({', '.join(args[1:] + named)})", False
        case op:
            return f"{op}({', '.join(args + named)})", False


def _bare(text: str, value: Any) -> str:
    """An index tuple without its parentheses, as one writes it."""
    return text[1:-1] if isinstance(value, tuple) and value else text


#: How a script ends.
SHOW = (
    "",
    "for name, value in [item for item in globals().items() if item[0][0] == 'v' and item[0][1:].isdigit()]:",
    "    print(name, '=', value)",
    "    if isinstance(value, torch.Tensor):",
    "        print(value.dtype, value.shape, value.stride(), value.grad_fn, value._version)",
    "        print(value.grad if value.is_leaf or value.retains_grad else '')",
    "print(log)",
)


@dataclass(frozen=True)
class Program:
    """A list of instructions; instruction i binds the name `v{i}`."""

    instructions: tuple[Instruction, ...]

    def without(self, index: int) -> Program:
        """The program without one instruction and without all that needs its result."""
        kept: dict[int, int] = {}
        instructions: list[Instruction] = []
        for old, instruction in enumerate(self.instructions):
            if old != index and all(ref.index in kept for ref in instruction.references()):
                kept[old] = len(instructions)
                instructions.append(_renumber(instruction, kept))
        return Program(tuple(instructions))

    def replaced(self, index: int, instruction: Instruction) -> Program:
        """The program with another instruction in one place."""
        return Program((*self.instructions[:index], instruction, *self.instructions[index + 1 :]))

    def script(self, raising: Iterable[int] = ()) -> str:
        """The program as a script for `python` or `python -m pullback`; errors are caught where told to."""
        lines = ["import operator", "from math import inf, nan", "", "import torch", "", "log = []"]
        raising = set(raising)
        for index, instruction in enumerate(self.instructions):
            text, is_statement = source(instruction)
            line = text if is_statement else f"v{index} = {text}"
            if instruction.mode:
                line = f"with torch.{instruction.mode}(): {line}"
            if index in raising:
                line = "\n    ".join(["try:", line]) + "\nexcept Exception as error:"
                line += "\n    print(type(error).__name__, error)"
            lines.append(line)
        return "\n".join([*lines, *SHOW]) + "\n"


@lru_cache(1024)
def compiled(text: str, is_statement: bool) -> CodeType:
    return compile(text, "<instruction>", "exec" if is_statement else "eval")


def _renumber(value: Any, kept: dict[int, int]) -> Any:
    match value:
        case Ref(index, item):
            return Ref(kept[index], item)
        case Instruction(op, args, kwargs, mode):
            return Instruction(op, _renumber(args, kept), _renumber(kwargs, kept), mode)
        case list():
            return [_renumber(item, kept) for item in value]
        case tuple():
            return tuple(_renumber(item, kept) for item in value)
        case slice():
            return slice(*(_renumber(item, kept) for item in (value.start, value.stop, value.step)))
        case _:
            return value


@dataclass(frozen=True)
class Seen:
    """All that is visible of a tensor, as plain Python."""

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    values: Any
    requires_grad: bool
    is_leaf: bool
    grad_fn: str | None
    updates: Any
    is_view: bool
    output_nr: int
    grad: Seen | None

    @property
    def steps(self) -> tuple[int, ...]:
        """The strides that mean something: those of dimensions with more than one element."""
        return () if 0 in self.shape else tuple(s for s, n in zip(self.stride, self.shape) if n > 1)


@dataclass(frozen=True)
class Raised:
    """An instruction that raised."""

    kind: str
    text: str


@dataclass(frozen=True)
class Skipped:
    """An instruction that could not run because something that it needs is missing."""


@dataclass
class Run:
    """What a program did: each instruction's outcome, every variable at the end, and what hooks wrote."""

    outcomes: list[Any]
    finals: list[Any]
    log: list[Any]


class Versions:
    """Counts updates in place since a tensor was first seen.

    A function of torch's may itself write to its result before it returns it, which is nobody's business.
    """

    def __init__(self) -> None:
        self.first: dict[int, tuple[int, Any]] = {}

    def since_first_seen(self, tensor: Any) -> Any:
        try:
            version = tensor._version
        except RuntimeError as error:  # inference tensors have none
            return str(error)
        first, _ = self.first.setdefault(id(tensor), (version, tensor))
        return version - first


def see(value: Any, tensor_type: type, versions: Versions) -> Any:
    """A result as plain Python: a tensor as `Seen`, sequences item by item, the rest by its type's name."""
    if isinstance(value, tensor_type):
        return see_tensor(value, versions)
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return value
    if isinstance(value, (tuple, list)):
        return (type(value).__name__, tuple(see(item, tensor_type, versions) for item in value))
    name = type(value).__name__
    return (name, str(value)) if name in ("dtype", "device", "layout", "memory_format") else (name, None)


def see_tensor(tensor: Any, versions: Versions, depth: int = 0) -> Seen:
    node = tensor.grad_fn
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gradient = tensor.grad if depth < 2 else None
    # torch's gradients that are zero everywhere may have no memory behind them.
    lazy_zeros = getattr(tensor, "_is_zerotensor", bool)()
    return Seen(
        dtype=str(tensor.dtype),
        shape=tuple(tensor.shape),
        stride=tuple(tensor.stride()),
        offset=tensor.storage_offset(),
        values=(tensor.clone() if lazy_zeros else tensor).tolist(),
        requires_grad=tensor.requires_grad,
        is_leaf=tensor.is_leaf,
        grad_fn=None if node is None else type(node).__name__,
        updates=versions.since_first_seen(tensor),
        is_view=tensor._is_view(),
        output_nr=tensor.output_nr,
        grad=None if gradient is None else see_tensor(gradient, versions, depth + 1),
    )


class Machine:
    """Runs instructions one at a time under a module."""

    def __init__(self, module: Any, widen: bool = False) -> None:
        self.module = module
        self.widen = widen
        self.log: list[Any] = []
        self.names: dict[str, Any] = {
            "torch": module,
            "operator": operator,
            "inf": inf,
            "nan": nan,
            "log": self.log,
        }
        self.values: list[Any] = []
        self.outcomes: list[Any] = []
        self.versions = Versions()

    def step(self, instruction: Instruction) -> Any:
        """Run the next instruction and return its outcome."""
        index = len(self.outcomes)
        for ref in instruction.references():
            if isinstance(self.outcomes[ref.index], (Raised, Skipped)):
                self.outcomes.append(Skipped())
                self.values.append(None)
                return self.outcomes[-1]
        text, is_statement = source(instruction, self.widen)
        code = compiled(text, is_statement)
        value = None
        try:
            with getattr(self.module, instruction.mode)() if instruction.mode else nullcontext():
                if is_statement:
                    exec(code, self.names)
                else:
                    value = eval(code, self.names)
            outcome = self.see(value)
        except Exception as error:  # noqa: BLE001  # the class and the text are what is compared
            outcome = Raised(type(error).__name__, ADDRESS.sub("0x", str(error)))
        self.names[f"v{index}"] = value
        self.values.append(value)
        self.outcomes.append(outcome)
        return outcome

    def see(self, value: Any) -> Any:
        return see(value, self.module.Tensor, self.versions)

    def finish(self) -> Run:
        """Look at everything once more, now that all updates and gradients have arrived."""
        finals = []
        for value, outcome in zip(self.values, self.outcomes):
            if isinstance(outcome, (Raised, Skipped)):
                finals.append(None)
                continue
            try:
                finals.append(self.see(value))
            except Exception as error:  # noqa: BLE001  # looking at a stale view may raise, in torch too
                finals.append(Raised(type(error).__name__, ADDRESS.sub("0x", str(error))))
        return Run(self.outcomes, finals, [self.see(value) for value in self.log])


def run(program: Program, module: Any, widen: bool = False) -> Run:
    """Run a program under a module, optionally with its narrow dtypes widened."""
    machine = Machine(module, widen)
    default = module.get_default_dtype()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if widen:
            module.set_default_dtype(module.float64)
        try:
            for instruction in program.instructions:
                machine.step(instruction)
            return machine.finish()
        finally:
            module.set_default_dtype(default)
