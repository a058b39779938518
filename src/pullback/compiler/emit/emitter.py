"""The handler that writes LLVM instructions.

One `Emitter` writes one function. Values are named once and remembered by what computes them, scope by scope,
so that equal subexpressions, index arithmetic included, appear once; loop counters and accumulators are stack
slots, which LLVM's first passes turn into registers.

Every operation has a rounding of its own: an element is the same number wherever it is computed. Were a
product and a sum joined where LLVM finds both, the largest element of a row might not be found among the
elements when these are computed again.
"""

from __future__ import annotations

import platform
import struct
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from ..lower.buffer import Buffer
from ..lower.handlers import PARTS, Pair
from ..lower.index import Index, Measured, Quotient, Variable, atom_index
from ..runtime import processor

BOOL = np.dtype(bool)
INT16, INT32, INT64 = np.dtype(np.int16), np.dtype(np.int32), np.dtype(np.int64)
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
FLOAT16, BFLOAT16 = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)
TYPES = {
    BOOL: "i1", np.dtype(np.int8): "i8", np.dtype(np.uint8): "i8", INT16: "i16",
    INT32: "i32", INT64: "i64", FLOAT32: "float", FLOAT64: "double",
    # As whole numbers: to choose between two bfloat LLVM converts them, subnormal ones to zeros, and what it
    # makes of a comparison may be no instruction of the processor's (LLVM 22, vectors of 512 bits).
    FLOAT16: "half", BFLOAT16: "i16",
}  # fmt: skip
NARROW = {FLOAT16, BFLOAT16}

_FLOAT = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "rem": "frem"}
_INTEGER = {"add": "add", "sub": "sub", "mul": "mul", "and_": "and", "or_": "or", "xor": "xor", "shl": "shl"}
#: Two bools are added to one: a number of one bit would count modulo 2.
_LOGICAL = {**_INTEGER, "add": "or", "mul": "and"}
_ORDERED = {"maximum": "gt", "minimum": "lt"}
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
    """Return whether a dtype is a floating one, the halves included."""
    return dtype.kind == "f" or dtype in NARROW


def computing(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype in which values of a dtype are computed: float32 for the halves."""
    return FLOAT32 if dtype in NARROW else dtype


def number(value: Any, dtype: np.dtype[Any]) -> str:
    """Return a constant in LLVM's notation."""
    if dtype == BOOL:
        return "true" if value else "false"
    if dtype == BFLOAT16:
        with np.errstate(all="ignore"):
            return str(int(np.asarray(value).astype(dtype).view(np.int16)))
    if is_float(dtype):
        # LLVM writes a float as the bits of the double that equals it.
        with np.errstate(all="ignore"):
            exact = float(np.asarray(value).astype(dtype))
        (bits,) = struct.unpack("<Q", struct.pack("<d", exact))
        return f"0x{bits:016X}"
    return str(int(np.asarray(value).astype(dtype)))


def _has_halves() -> bool:
    """Return whether the processor converts float16."""
    return platform.machine().lower() not in ("x86_64", "amd64") or "f16c" in processor.features()


class Module:
    """Hold what functions of one LLVM module share: declarations, variables and functions asked for."""

    def __init__(self) -> None:
        self.declarations: dict[str, str] = {}
        self.functions: dict[str, None] = {}
        self._names: Counter[str] = Counter()

    def name(self, prefix: str) -> str:
        """Return a name that no other function of the module has."""
        self._names[prefix] += 1
        return f"{prefix}{self._names[prefix] - 1}"

    def declare(self, name: str, result: str, *parameters: str) -> str:
        """Declare a function of LLVM's, of the C library or of BLAS; return its name."""
        self.declarations.setdefault(name, f"declare {result} @{name}({', '.join(parameters)})")
        return name

    def global_number(self, type_: str, text: str) -> str:
        """Return the name of a variable that holds a number."""
        name = f"number_{type_}_{text}"
        self.declarations.setdefault(name, f"@{name} = internal global {type_} {text}")
        return name

    def function(self, name: str, dtype: np.dtype[Any], count: int) -> str:
        """Return the name of a mathematical function for a dtype, which the module will hold."""
        # What no module holds would be called at address 0.
        assert is_float(dtype), f"{name} of {dtype}"
        symbol = f"{name}_{TYPES[dtype]}"
        self.functions.setdefault(symbol)
        return f"pullback_{symbol}"


class Emitter:
    """Write the body of one function.

    Parameters
    ----------
    module : Module
    """

    def __init__(self, module: Module) -> None:
        self.module = module
        self.lines: list[str] = []
        self.slots: list[str] = []
        self.scopes: list[dict[Any, Any]] = [{}]
        self.counters: dict[str, str] = {}
        self.parameters: dict[int, str] = {}
        #: Buffers that hold one row only, and the index into the row.
        self.rows: dict[int, Index] = {}
        #: The values that stand for constants.
        self.hidden: dict[Value, Value] = {}
        #: Dtypes of floats among which there are some that were narrower.
        self.extended: set[np.dtype[Any]] = set()
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
        """Return the function, without its name: it takes its buffers, and the rows to work off."""
        parameters = ", ".join(f"ptr {name}" for name in self.parameters.values())
        head = f"({parameters}{', ' if parameters else ''}i64 %lo, i64 %hi)"
        return "\n".join([head + " nounwind #0 {", "entry:", *self.slots, *self.lines, "  ret void", "}"])

    def slot(self, type_: str, initial: str | None = None) -> str:
        """Return a stack slot, made at the function's entry."""
        name = self.fresh()
        self.slots.append(f"  {name} = alloca {type_}")
        if initial is not None:
            self.line(f"store {type_} {initial}, ptr {name}")
        return name

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Forget values named inside when the block ends."""
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
        """Return the value of an instruction, computed once per scope."""
        name = self.known(text)
        if name is None:
            name = self.remember(text, self.fresh())
            self.line(f"{name} = {text}")
        # One type of LLVM's may be several dtypes: who computed it first may have wanted another.
        return Value(name, dtype)

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
        """Return an index as a 64-bit number."""
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

    def load(self, buffer: Buffer, index: Index) -> Any:
        found = self.known((buffer.number, index.key()))
        if found is None and buffer.dtype in PARTS:
            first = self.rows.get(buffer.number, index) * 2
            pair = Pair(self.load_part(buffer, first), self.load_part(buffer, first + 1))
            return self.remember((buffer.number, index.key()), pair)
        return self.reread(buffer, index) if found is None else found

    def load_part(self, buffer: Buffer, index: Index) -> Value:
        """Return a part of an element of a complex buffer, of which every element is two places."""
        key = (buffer.number, "part", index.key())
        found: Value | None = self.known(key)
        if found is None:
            name, type_ = self.fresh(), TYPES[PARTS[buffer.dtype]]
            group = "" if self.group is None else f", !llvm.access.group !{self.group}"
            self.line(f"{name} = load {type_}, ptr {self._part(buffer, index)}{group}")
            found = self.remember(key, Value(name, PARTS[buffer.dtype]))
        return found

    def _part(self, buffer: Buffer, index: Index) -> str:
        """Return the address of a part."""
        base = self.parameters.setdefault(buffer.number, f"%p{len(self.parameters)}")
        position = self.position(index)
        type_ = TYPES[PARTS[buffer.dtype]]
        return self.instruction(f"getelementptr {type_}, ptr {base}, i64 {position}", INT64).name

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

    def store(self, buffer: Buffer, index: Index, value: Any) -> None:
        group = "" if self.group is None else f", !llvm.access.group !{self.group}"
        if buffer.dtype in PARTS:
            for n, part in enumerate(value):
                type_, index_ = TYPES[part.dtype], self.rows.get(buffer.number, index) * 2 + n
                self.line(f"store {type_} {part.name}, ptr {self._part(buffer, index_)}{group}")
            return
        address = self.address(buffer, index)
        type_ = TYPES[buffer.dtype]
        if buffer.dtype == BOOL:
            type_, value = "i8", self.instruction(f"zext i1 {value.name} to i8", BOOL)
        self.line(f"store {type_} {value.name}, ptr {address}{group}")

    def forward(self, buffer: Buffer, index: Index, value: Any) -> None:
        """Let loads of a place find a value that is at hand."""
        self.remember((buffer.number, index.key()), value)

    # Scalars.

    def index(self, index: Index, dtype: np.dtype[Any]) -> Value:
        return self.cast(Value(self.position(index), INT64), dtype)

    def place(self, x: Value, extent: int) -> Index:
        return atom_index(Measured(x, x.name, extent))

    def constant(self, value: Any, dtype: np.dtype[Any]) -> Value:
        return Value(number(value, dtype), dtype)

    def whole(self, x: Value) -> Value:
        x = self.cast(x, computing(x.dtype))
        short = self.instruction(f"fptosi {TYPES[x.dtype]} {x.name} to i32", INT32)
        return self.cast(short, INT64)

    def cast(self, x: Value, dtype: np.dtype[Any]) -> Value:
        """Change the dtype as NumPy casts; from floating to integer is not written here."""
        source = x.dtype
        if source == dtype:
            return x
        if source in NARROW:
            if source == BFLOAT16:
                wide = self._of_bfloat(x)
            else:
                wide = self._extended(x, FLOAT32) if _has_halves() else self._of_half(x)
            return self.cast(wide, dtype)
        if dtype in NARROW and source != FLOAT32:
            # As torch does: a float64 is rounded twice.
            single = self.cast(x, FLOAT32)
            if source == FLOAT64:
                # LLVM would make one rounding of the two, for which it calls a function that is nowhere.
                single = self._kept(single)
            return self.cast(single, dtype)
        if dtype == BFLOAT16:
            return self._to_bfloat(x)
        if dtype == FLOAT16 and not _has_halves():
            return self._to_half(x)
        a, b = TYPES[source], TYPES[dtype]
        if dtype == BOOL:
            zero = number(0, source)
            text = f"fcmp une {a} {x.name}, {zero}" if is_float(source) else f"icmp ne {a} {x.name}, {zero}"
        elif source == FLOAT32 and dtype == FLOAT64:
            return self._extended(x, dtype)
        elif is_float(source) and is_float(dtype):
            text = f"fptrunc {a} {x.name} to {b}"
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

    def _to_bfloat(self, x: Value) -> Value:
        """Round a float32 to bfloat16, in whole numbers: the processor's instruction takes subnormal numbers
        for zeros.
        """
        bits = self._bits(x)
        last = self._named(f"and i32 {self._named(f'lshr i32 {bits}, 16')}, 1")
        up = self._named(f"add i32 {self._named(f'add i32 {bits}, {last}')}, {0x7FFF}")
        # What is added to the bits of a NaN may make another number of it.
        nan = self._named(f"or i32 {self._named(f'and i32 {bits}, {-1 << 31}')}, {0x7FC00000}")
        chosen = self._named(f"select i1 {self.compare('ne', x, x).name}, i32 {nan}, i32 {up}")
        return self.instruction(f"trunc i32 {self._named(f'lshr i32 {chosen}, 16')} to i16", BFLOAT16)

    def _of_bfloat(self, x: Value) -> Value:
        """Return a bfloat16 as a float32."""
        bits = self._named(f"shl i32 {self._named(f'zext i16 {x.name} to i32')}, 16")
        return self._float(bits)

    def _to_half(self, x: Value) -> Value:
        """Round a float32 to float16 where the processor has no instruction for it: a function would be
        called that is nowhere.
        """
        bits = self._bits(x)
        sign = self._named(f"lshr i32 {self._named(f'and i32 {bits}, {-1 << 31}')}, 16")
        size = self._named(f"and i32 {bits}, {0x7FFFFFFF}")
        # The sum with 1/2 has the last bit of a subnormal half as its own.
        least = self._named(f"fadd float {self._float(size).name}, {number(0.5, FLOAT32)}", FLOAT32)
        small = self._named(f"sub i32 {self._bits(Value(least, FLOAT32))}, {126 << 23}")
        last = self._named(f"and i32 {self._named(f'lshr i32 {size}, 13')}, 1")
        up = self._named(f"add i32 {self._named(f'add i32 {size}, {last}')}, {0xFFF - (112 << 23)}")
        normal = self._named(f"lshr i32 {up}, 13")
        nan = self._named(f"icmp ugt i32 {size}, {0x7F800000}", BOOL)
        endless = self._named(f"select i1 {nan}, i32 {0x7E00}, i32 {0x7C00}")
        found = self._named(
            f"select i1 {self._named(f'icmp ult i32 {size}, {113 << 23}', BOOL)}, i32 {small}, i32 {normal}"
        )
        large = self._named(f"icmp uge i32 {size}, {143 << 23}", BOOL)
        found = self._named(f"select i1 {large}, i32 {endless}, i32 {found}")
        whole = self._named(f"trunc i32 {self._named(f'or i32 {found}, {sign}')} to i16", INT16)
        return self.instruction(f"bitcast i16 {whole} to half", FLOAT16)

    def _of_half(self, x: Value) -> Value:
        """Return a float16 as a float32 where the processor has no instruction for it."""
        whole = self._named(f"bitcast half {x.name} to i16", INT16)
        bits = self._named(f"zext i16 {whole} to i32")
        sign = self._named(f"shl i32 {self._named(f'and i32 {bits}, {0x8000}')}, 16")
        size = self._named(f"shl i32 {self._named(f'and i32 {bits}, {0x7FFF}')}, 13")
        # An exponent that is too small by 112, subnormal numbers included.
        scaled = self._named(f"fmul float {self._float(size).name}, {number(2.0**112, FLOAT32)}", FLOAT32)
        endless = self._named(f"or i32 {size}, {0x7F800000}")
        large = self._named(f"icmp uge i32 {size}, {0x7C00 << 13}", BOOL)
        found = self._named(f"select i1 {large}, i32 {endless}, i32 {self._bits(Value(scaled, FLOAT32))}")
        return self._float(self._named(f"or i32 {found}, {sign}"))

    def _float(self, bits: str) -> Value:
        """Return the float32 of some bits."""
        return self.instruction(f"bitcast i32 {bits} to float", FLOAT32)

    def _extended(self, x: Value, dtype: np.dtype[Any]) -> Value:
        """Return a float as a wider one."""
        self.extended.add(dtype)
        return self.instruction(f"fpext {TYPES[x.dtype]} {x.name} to {TYPES[dtype]}", dtype)

    def _compared(self, x: Value) -> Value:
        """Return a float as it is compared. A comparison of what were narrower numbers LLVM makes to one of
        these, and a choice by it then to one that of 0 and -0 takes the other (LLVM 22).
        """
        return self._kept(x) if x.dtype in self.extended and x.name.startswith("%") else x

    def _kept(self, x: Value) -> Value:
        """Return a float that LLVM computes as it is written: a product with a number that it does not
        know.
        """
        one = self._unknown(self.constant(1, x.dtype))
        return self.instruction(f"fmul {TYPES[x.dtype]} {x.name}, {one.name}", x.dtype)

    def _bits(self, x: Value) -> str:
        """Return the name of the bits of a float32."""
        return self._named(f"bitcast float {x.name} to i32")

    def _named(self, text: str, dtype: np.dtype[Any] = INT32) -> str:
        """Return the name of what an instruction gives."""
        return self.instruction(text, dtype).name

    def _narrowly(self, name: str, *xs: Value) -> Value:
        """Compute in float32 and round, as eager does for the halves."""
        dtype = xs[0].dtype
        wide = getattr(self, name)(*(self.cast(x, FLOAT32) for x in xs))
        return wide if wide.dtype == BOOL else self.cast(wide, dtype)

    def binary(self, name: str, x: Value, y: Value) -> Value:
        """Return an operation of two scalars of one dtype."""
        dtype = x.dtype
        if dtype in NARROW:
            return self._narrowly(name, x, y)
        type_ = TYPES[dtype]
        if name in _ORDERED and is_float(dtype):
            return self._extreme(_ORDERED[name], x, y)
        if name in _ORDERED or name == "copysign":
            return self.extreme(name, x, y)
        if is_float(dtype):
            return self.instruction(f"{_FLOAT[name]} {type_} {x.name}, {y.name}", dtype)
        words = _LOGICAL if dtype == BOOL else _INTEGER
        word = words.get(name) or ("lshr" if dtype.kind in "bu" else "ashr")
        if name == "floordiv" and dtype.kind == "i":
            return self._floored(x, y)
        if name in ("div", "rem", "floordiv"):
            raise TypeError(f"no native {name} of integers")
        return self.instruction(f"{word} {type_} {x.name}, {y.name}", dtype)

    def _floored(self, x: Value, y: Value) -> Value:
        """Return the quotient of signed whole numbers, rounded down; the second is above 0."""
        type_ = TYPES[x.dtype]
        quotient, rest = (
            self._named(f"{word} {type_} {x.name}, {y.name}", x.dtype) for word in ("sdiv", "srem")
        )
        below = self._named(f"icmp slt {type_} {rest}, 0", BOOL)
        less = self._named(f"sext i1 {below} to {type_}", x.dtype)
        return self.instruction(f"add {type_} {quotient}, {less}", x.dtype)

    def extreme(self, name: str, x: Value, y: Value) -> Value:
        """Return the ``"maximum"`` or ``"minimum"`` by LLVM's function for it, which its vectoriser knows to
        gather; of 0 and -0 that takes the one that is larger, or smaller, by the sign.
        """
        dtype = x.dtype
        if dtype in NARROW:
            return self.cast(self.extreme(name, self.cast(x, FLOAT32), self.cast(y, FLOAT32)), dtype)
        type_ = TYPES[dtype]
        if is_float(dtype):
            word, letter = name, "f" + str(8 * dtype.itemsize)
        else:
            word, letter = ("u" if dtype.kind in "bu" else "s") + name[:3], type_
        symbol = self.module.declare(f"llvm.{word}.{letter}", type_, type_, type_)
        return self.instruction(f"call {type_} @{symbol}({type_} {x.name}, {type_} {y.name})", dtype)

    def _extreme(self, order: str, x: Value, y: Value) -> Value:
        """Return the one of two floats that comes first, or the one that is not a number; the second of equal
        ones, 0 and -0 among them, as eager and the processors of x86 have it.
        """
        type_ = TYPES[x.dtype]
        # Infinities are as they are here: of a number and its bound there is no branch to be made.
        before, nan = self.compare(order, x, y).name, self.compare("ne", x, x).name
        found = self._named(f"select i1 {before}, {type_} {x.name}, {type_} {y.name}", x.dtype)
        return self.instruction(f"select i1 {nan}, {type_} {x.name}, {type_} {found}", x.dtype)

    def compare(self, name: str, x: Value, y: Value) -> Value:
        """Return a comparison of two scalars of one dtype."""
        dtype = x.dtype
        if dtype in NARROW:
            return self._narrowly(name, x, y)
        if is_float(dtype):
            x, y = self._compared(x), self._compared(y)
            return self.instruction(f"fcmp {_FLOAT_ORDER[name]} {TYPES[dtype]} {x.name}, {y.name}", BOOL)
        word = _ORDER[name]
        if dtype.kind in "bu" and word[0] == "s":
            word = "u" + word[1:]
        return self.instruction(f"icmp {word} {TYPES[dtype]} {x.name}, {y.name}", BOOL)

    def unary(self, name: str, x: Value) -> Value:
        """Return an operation of one scalar."""
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
        """Return an infinity as a number that LLVM does not know. Where it knows it, it makes the largest of
        masked numbers a branch on the mask, which it cannot vectorise: 196,608 numbers took 1,015 µs in place
        of 41.
        """
        if not is_float(x.dtype) or x.name not in (number(np.inf, x.dtype), number(-np.inf, x.dtype)):
            return x
        return self._unknown(x)

    def _unknown(self, x: Value) -> Value:
        """Return a constant as a number that LLVM does not know."""
        known = self.hidden.get(x)
        if known is None:
            type_ = TYPES[x.dtype]
            symbol = self.module.global_number(type_, x.name)
            known = self.hidden[x] = Value(self.fresh(), x.dtype)
            self.slots.append(f"  {known.name} = load volatile {type_}, ptr @{symbol}")
        return known

    def function(self, name: str, *xs: Value) -> Value:
        """Return a mathematical function of floating scalars."""
        dtype = xs[0].dtype
        if dtype in NARROW:
            wide = self.function(name, *(self.cast(x, FLOAT32) for x in xs))
            return self.cast(wide, dtype)
        symbol = self.module.function(name, dtype, len(xs))
        operands = ", ".join(f"{TYPES[dtype]} {x.name}" for x in xs)
        return self.instruction(f"call {TYPES[dtype]} @{symbol}({operands})", dtype)


def _loop_kind(variable: Variable, innermost: str | None) -> str:
    """Return what LLVM is told about a loop (see `engine.whole`). Long loops of loops are not unrolled:
    copies of whole nests took most of the time to compile.
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
    from ..lower import handlers

    for family, names in (
        ("binary", handlers.BINARY), ("compare", handlers.COMPARISONS), ("unary", handlers.UNARY),
    ):  # fmt: skip
        for name in names:
            setattr(Emitter, name, _method(family, name))


_complete()
