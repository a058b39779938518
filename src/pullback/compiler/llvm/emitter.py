"""The handler that writes LLVM instructions.

One `Emitter` writes one function. Values are named once and remembered by what computes them, scope by scope,
so that equal subexpressions, index arithmetic included, appear once; loop counters and accumulators are stack
slots, which LLVM's first passes turn into registers.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from ..buffer import Buffer
from ..index import Index, Measured, Quotient, Variable, atom_index

BOOL = np.dtype(bool)
INT64 = np.dtype(np.int64)
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
TYPES = {
    BOOL: "i1", np.dtype(np.int8): "i8", np.dtype(np.uint8): "i8", np.dtype(np.int16): "i16",
    np.dtype(np.int32): "i32", INT64: "i64", FLOAT32: "float", FLOAT64: "double",
    np.dtype(np.float16): "half", np.dtype(ml_dtypes.bfloat16): "bfloat",
}  # fmt: skip
NARROW = {np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)}

_FLOAT = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "rem": "frem"}
_INTEGER = {"add": "add", "sub": "sub", "mul": "mul", "and_": "and", "or_": "or", "xor": "xor", "shl": "shl"}
_FLOAT_ORDER = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}
_ORDER = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
_INTRINSICS = {
    "abs": "fabs",
    "sqrt": "sqrt",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "rint": "rint",
}

#: Iterations beyond which a loop of loops is not unrolled.
LONG = 8


class Value(NamedTuple):
    """A scalar in a register: its name, or a number in LLVM's notation."""

    name: str
    dtype: np.dtype[Any]


def is_float(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype is a floating one, the halves included."""
    return dtype.kind == "f" or dtype in NARROW


def computing(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which values of a dtype are computed: float32 for the halves."""
    return FLOAT32 if dtype in NARROW else dtype


def number(value: Any, dtype: np.dtype[Any]) -> str:
    """A constant in LLVM's notation."""
    if dtype == BOOL:
        return "true" if value else "false"
    if is_float(dtype):
        # LLVM writes a float as the bits of the double that equals it.
        with np.errstate(all="ignore"):
            exact = float(np.asarray(value).astype(dtype))
        (bits,) = struct.unpack("<Q", struct.pack("<d", exact))
        return f"0x{bits:016X}"
    return str(int(np.asarray(value).astype(dtype)))


class Module:
    """What functions of one LLVM module share: declarations, variables and functions asked for."""

    def __init__(self) -> None:
        self.declarations: dict[str, str] = {}
        self.functions: dict[str, None] = {}
        self._names: Counter[str] = Counter()

    def name(self, prefix: str) -> str:
        """A name that no other function of the module has."""
        self._names[prefix] += 1
        return f"{prefix}{self._names[prefix] - 1}"

    def declare(self, name: str, result: str, *parameters: str) -> str:
        """Declare a function of LLVM's, of the C library or of BLAS; return its name."""
        self.declarations.setdefault(name, f"declare {result} @{name}({', '.join(parameters)})")
        return name

    def global_number(self, type_: str, text: str) -> str:
        """The name of a variable that holds a number."""
        name = f"number_{type_}_{text}"
        self.declarations.setdefault(name, f"@{name} = internal global {type_} {text}")
        return name

    def function(self, name: str, dtype: np.dtype[Any], count: int) -> str:
        """The name of a mathematical function for a dtype, which the module will hold."""
        # What no module holds would be called at address 0.
        assert is_float(dtype), f"{name} of {dtype}"
        symbol = f"{name}_{TYPES[dtype]}"
        self.functions.setdefault(symbol)
        return f"pullback_{symbol}"


class Emitter:
    """Writes the body of one function.

    Parameters
    ----------
    module : Module
    """

    #: What lets LLVM join a product and a sum to one rounding.
    contract = "contract "

    def __init__(self, module: Module) -> None:
        self.module = module
        self.lines: list[str] = []
        self.slots: list[str] = []
        self.scopes: list[dict[Any, Any]] = [{}]
        self.counters: dict[str, str] = {}
        self.parameters: dict[int, str] = {}
        #: Buffers that hold one row only, and the index into the row.
        self.rows: dict[int, Index] = {}
        #: Infinities by the values that stand for them.
        self.hidden: dict[Value, Value] = {}
        #: Whether loads and stores lie in a loop whose iterations are independent.
        self.group: str | None = None
        self._names = 0

    # Names, scopes, blocks.

    def fresh(self) -> str:
        self._names += 1
        return f"%v{self._names}"

    def line(self, text: str) -> None:
        self.lines.append("  " + text)

    def function_text(self) -> str:
        """The function, without its name: it takes its buffers, and the rows to work off."""
        parameters = ", ".join(f"ptr {name}" for name in self.parameters.values())
        head = f"({parameters}{', ' if parameters else ''}i64 %lo, i64 %hi)"
        return "\n".join([head + " nounwind #0 {", "entry:", *self.slots, *self.lines, "  ret void", "}"])

    def slot(self, type_: str, initial: str | None = None) -> str:
        """A stack slot, made at the function's entry."""
        name = self.fresh()
        self.slots.append(f"  {name} = alloca {type_}")
        if initial is not None:
            self.line(f"store {type_} {initial}, ptr {name}")
        return name

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Values named inside are forgotten outside."""
        self.scopes.append({})
        yield
        self.scopes.pop()

    def known(self, key: Any) -> Any:
        for scope in reversed(self.scopes):
            if key in scope:
                return scope[key]
        return None

    def remember(self, key: Any, value: Any) -> Any:
        self.scopes[-1][key] = value
        return value

    def instruction(self, text: str, dtype: np.dtype[Any]) -> Value:
        """The value of an instruction, computed once per scope."""
        found = self.known(text)
        if found is None:
            name = self.fresh()
            self.line(f"{name} = {text}")
            found = self.remember(text, Value(name, dtype))
        return found

    @contextmanager
    def loop(self, variable: Variable, start: str, stop: str, innermost: str | None = None) -> Iterator[None]:
        """Count a variable from `start` to below `stop`; `innermost` names the access group of a loop
        whose iterations are independent.
        """
        counter, label = self.slot("i64", start), f"l{self._names}"
        self.line(f"br label %{label}_head")
        self.lines.append(f"{label}_head:")
        value, test = self.fresh(), self.fresh()
        self.line(f"{value} = load i64, ptr {counter}")
        self.line(f"{test} = icmp slt i64 {value}, {stop}")
        self.line(f"br i1 {test}, label %{label}_body, label %{label}_exit")
        self.lines.append(f"{label}_body:")
        self.counters[variable.name] = value
        with self.scope():
            yield
        step = self.fresh()
        self.line(f"{step} = add nuw nsw i64 {value}, 1")
        self.line(f"store i64 {step}, ptr {counter}")
        metadata = _loop_kind(variable, innermost)
        self.line(f"br label %{label}_head{metadata}")
        self.lines.append(f"{label}_exit:")

    # Memory.

    def position(self, index: Index) -> str:
        """An index as a 64-bit number."""
        total: str | None = None
        for _, (atom, coefficient) in sorted(index.terms.items()):
            if isinstance(atom, Quotient):
                inner = self.position(atom.inner)
                kind = "urem" if atom.remainder else "udiv"
                part = self.instruction(f"{kind} i64 {inner}, {atom.divisor}", INT64).name
            elif isinstance(atom, Measured):
                part = atom.value.name
            else:
                part = self.counters[atom.name]
            if coefficient != 1:
                part = self.instruction(f"mul nsw i64 {part}, {coefficient}", INT64).name
            total = part if total is None else self.instruction(f"add nsw i64 {total}, {part}", INT64).name
        if total is None:
            return str(index.constant)
        if index.constant:
            return self.instruction(f"add nsw i64 {total}, {index.constant}", INT64).name
        return total

    def address(self, buffer: Buffer, index: Index) -> str:
        index = self.rows.get(buffer.number, index)
        base = self.parameters.setdefault(buffer.number, f"%p{len(self.parameters)}")
        type_ = "i8" if buffer.dtype == BOOL else TYPES[buffer.dtype]
        position = self.position(index)
        if position == "0":
            return base
        return self.instruction(f"getelementptr {type_}, ptr {base}, i64 {position}", INT64).name

    def load(self, buffer: Buffer, index: Index) -> Value:
        found = self.known((buffer.number, index.key()))
        return self.reread(buffer, index) if found is None else found

    def reread(self, buffer: Buffer, index: Index) -> Value:
        """Load an element that may have been written since it was last loaded."""
        key = (buffer.number, index.key())
        address = self.address(buffer, index)
        group = "" if self.group is None else f", !llvm.access.group !{self.group}"
        name = self.fresh()
        if buffer.dtype == BOOL:
            self.line(f"{name} = load i8, ptr {address}{group}")
            value = self.instruction(f"trunc i8 {name} to i1", BOOL)
        else:
            self.line(f"{name} = load {TYPES[buffer.dtype]}, ptr {address}{group}")
            value = Value(name, buffer.dtype)
        return self.remember(key, value)

    def store(self, buffer: Buffer, index: Index, value: Value) -> None:
        address = self.address(buffer, index)
        type_ = TYPES[buffer.dtype]
        if buffer.dtype == BOOL:
            type_, value = "i8", self.instruction(f"zext i1 {value.name} to i8", BOOL)
        group = "" if self.group is None else f", !llvm.access.group !{self.group}"
        self.line(f"store {type_} {value.name}, ptr {address}{group}")

    def forward(self, buffer: Buffer, index: Index, value: Value) -> None:
        """Let loads of a place find a value that is at hand."""
        self.remember((buffer.number, index.key()), value)

    # Scalars.

    def index(self, index: Index, dtype: np.dtype[Any]) -> Value:
        return self.cast(Value(self.position(index), INT64), dtype)

    def place(self, x: Value, extent: int) -> Index:
        return atom_index(Measured(x, x.name, extent))

    def constant(self, value: Any, dtype: np.dtype[Any]) -> Value:
        return Value(number(value, dtype), dtype)

    def cast(self, x: Value, dtype: np.dtype[Any]) -> Value:
        """Change the dtype as NumPy casts; from floating to integer is not written here."""
        source = x.dtype
        if source == dtype:
            return x
        if source in NARROW:
            x, source = self.instruction(f"fpext {TYPES[source]} {x.name} to float", FLOAT32), FLOAT32
            return self.cast(x, dtype)
        if (dtype in NARROW and source == FLOAT64) or (dtype in NARROW and not is_float(source)):
            return self.cast(self.cast(x, FLOAT32), dtype)
        a, b = TYPES[source], TYPES[dtype]
        if dtype == BOOL:
            zero = number(0, source)
            text = f"fcmp une {a} {x.name}, {zero}" if is_float(source) else f"icmp ne {a} {x.name}, {zero}"
        elif is_float(source) and is_float(dtype):
            wider = np.dtype(source).itemsize < np.dtype(dtype).itemsize
            text = f"{'fpext' if wider else 'fptrunc'} {a} {x.name} to {b}"
        elif is_float(source):
            raise TypeError(f"no native cast from {source} to {dtype}")
        elif is_float(dtype):
            unsigned = source.kind in "bu"
            text = f"{'uitofp' if unsigned else 'sitofp'} {a} {x.name} to {b}"
        elif source.itemsize > dtype.itemsize and source != BOOL:
            text = f"trunc {a} {x.name} to {b}"
        elif source == BOOL or source.itemsize < dtype.itemsize:
            text = f"{'zext' if source.kind in 'bu' else 'sext'} {a} {x.name} to {b}"
        else:
            return Value(x.name, dtype)
        return self.instruction(text, dtype)

    def _narrowly(self, name: str, *xs: Value) -> Value:
        """Compute in float32 and round, as eager does for the halves."""
        dtype = xs[0].dtype
        wide = getattr(self, name)(*(self.cast(x, FLOAT32) for x in xs))
        return wide if wide.dtype == BOOL else self.cast(wide, dtype)

    def binary(self, name: str, x: Value, y: Value) -> Value:
        """An operation of two scalars of one dtype."""
        dtype = x.dtype
        if dtype in NARROW:
            return self._narrowly(name, x, y)
        type_ = TYPES[dtype]
        if name in ("maximum", "minimum", "copysign"):
            if is_float(dtype):
                word, letter = name, "f" + str(8 * dtype.itemsize)
            else:
                word = ("u" if dtype.kind in "bu" else "s") + name[:3]
                letter = type_
            symbol = self.module.declare(f"llvm.{word}.{letter}", type_, type_, type_)
            return self.instruction(f"call {type_} @{symbol}({type_} {x.name}, {type_} {y.name})", dtype)
        if is_float(dtype):
            return self.instruction(f"{_FLOAT[name]} {self.contract}{type_} {x.name}, {y.name}", dtype)
        word = _INTEGER.get(name) or ("lshr" if dtype.kind in "bu" else "ashr")
        if name in ("div", "rem", "floordiv"):
            raise TypeError(f"no native {name} of integers")
        return self.instruction(f"{word} {type_} {x.name}, {y.name}", dtype)

    def compare(self, name: str, x: Value, y: Value) -> Value:
        """A comparison of two scalars of one dtype."""
        dtype = x.dtype
        if dtype in NARROW:
            return self._narrowly(name, x, y)
        if is_float(dtype):
            return self.instruction(f"fcmp {_FLOAT_ORDER[name]} {TYPES[dtype]} {x.name}, {y.name}", BOOL)
        word = _ORDER[name]
        if dtype.kind in "bu" and word[0] == "s":
            word = "u" + word[1:]
        return self.instruction(f"icmp {word} {TYPES[dtype]} {x.name}, {y.name}", BOOL)

    def unary(self, name: str, x: Value) -> Value:
        """An operation of one scalar."""
        dtype = x.dtype
        if dtype in NARROW:
            return self._narrowly(name, x)
        type_ = TYPES[dtype]
        if name == "not_":
            return self.instruction(f"xor {type_} {x.name}, {'true' if dtype == BOOL else -1}", dtype)
        if is_float(dtype):
            if name == "neg":
                return self.instruction(f"fneg {type_} {x.name}", dtype)
            symbol = self.module.declare(f"llvm.{_INTRINSICS[name]}.f{8 * dtype.itemsize}", type_, type_)
            return self.instruction(f"call {type_} @{symbol}({type_} {x.name})", dtype)
        if name == "neg":
            return self.instruction(f"sub {type_} 0, {x.name}", dtype)
        if name == "abs":
            if dtype.kind in "bu":
                return x
            symbol = self.module.declare(f"llvm.abs.{type_}", type_, type_, "i1 immarg")
            return self.instruction(f"call {type_} @{symbol}({type_} {x.name}, i1 false)", dtype)
        return x

    def select(self, condition: Value, x: Value, y: Value) -> Value:
        type_ = TYPES[x.dtype]
        x, y = self._hidden(x), self._hidden(y)
        return self.instruction(
            f"select i1 {condition.name}, {type_} {x.name}, {type_} {y.name}", x.dtype
        )

    def _hidden(self, x: Value) -> Value:
        """An infinity as a number that LLVM does not know. Where it knows it, it makes the largest of masked
        numbers a branch on the mask, which it cannot vectorise: 196,608 numbers took 1,015 µs in place of 41.
        """
        if not is_float(x.dtype) or x.name not in (number(np.inf, x.dtype), number(-np.inf, x.dtype)):
            return x
        known = self.hidden.get(x)
        if known is None:
            type_ = TYPES[x.dtype]
            symbol = self.module.global_number(type_, x.name)
            known = self.hidden[x] = Value(self.fresh(), x.dtype)
            self.slots.append(f"  {known.name} = load volatile {type_}, ptr @{symbol}")
        return known

    def function(self, name: str, *xs: Value) -> Value:
        """A mathematical function of floating scalars."""
        dtype = xs[0].dtype
        if dtype in NARROW:
            wide = self.function(name, *(self.cast(x, FLOAT32) for x in xs))
            return self.cast(wide, dtype)
        symbol = self.module.function(name, dtype, len(xs))
        operands = ", ".join(f"{TYPES[dtype]} {x.name}" for x in xs)
        return self.instruction(f"call {TYPES[dtype]} @{symbol}({operands})", dtype)


def _loop_kind(variable: Variable, innermost: str | None) -> str:
    """What LLVM is told about a loop (see `engine.whole`). Long loops of loops are not unrolled: copies of
    whole nests took most of the time to compile.
    """
    if innermost is not None:
        return f", !llvm.loop !{innermost}"
    return ", !llvm.loop !3" if variable.extent > LONG else ""


def _method(family: str, name: str) -> Any:
    def method(self: Emitter, *xs: Value) -> Value:
        return getattr(self, family)(name, *xs)

    method.__name__ = name
    return method


def _complete() -> None:
    from .. import handlers

    for family, names in (
        ("binary", handlers.BINARY), ("compare", handlers.COMPARISONS), ("unary", handlers.UNARY),
    ):  # fmt: skip
        for name in names:
            setattr(Emitter, name, _method(family, name))


_complete()
