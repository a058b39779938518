"""Writing mathematical functions: arithmetic on one number or on a vector of them, as LLVM's text.

`Lanes` are what a function of `mathematics` computes with: floating numbers, integers as wide or truth
values, one of each for every lane. Python's operators write instructions; nothing is reordered or contracted
but where `Writer` is asked to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partialmethod
from typing import Any

from ..runtime import engine
from .lines import Lines
from .scalars import DTYPES, number

#: Kinds of floating numbers, and of integers that hold their bits.
_REALS = {"double": "i64", "float": "i32"}

_Operator = Callable[["Lanes", Any], "Lanes"]


def letters(type_: str) -> str:
    """Return how the names of LLVM's functions end for floating numbers of a type, or vectors of them."""
    count, _, real = type_.strip("<>").rpartition(" x ")
    return f"{count and 'v'}{count}{'f64' if real == 'double' else 'f32'}"


def _is_whole(kind: str) -> bool:
    return kind[0] == "i"


def _arithmetic(word: str) -> tuple[_Operator, _Operator]:
    """Return an operator of two numbers, and the same with the second one first."""

    def written(x: Lanes, y: object) -> Lanes:
        return x._with(word if _is_whole(x.kind) else f"f{word}", y)

    def swapped(x: Lanes, y: object) -> Lanes:
        return x._with(word if _is_whole(x.kind) else f"f{word}", y, swapped=True)

    return written, swapped


def _of_bits(word: str) -> _Operator:
    """Return an operator of integers by LLVM's word for it."""
    return lambda x, y: x._with(word, y)


def _comparison(of_reals: str, of_whole: str = "") -> _Operator:
    """Return a comparison by LLVM's words for it."""

    def written(x: Lanes, y: object) -> Lanes:
        return x._with(f"icmp {of_whole}" if _is_whole(x.kind) else f"fcmp {of_reals}", y, kind="i1")

    return written


class Lanes:
    """A value in every lane, of kind "double", "float", "i64", "i32" or "i1"; of a writer for one lane a
    vector, too.
    """

    __slots__ = ("kind", "name", "writer")

    def __init__(self, writer: Writer, name: str, kind: str) -> None:
        self.writer = writer
        self.name = name
        self.kind = kind

    def _with(self, word: str, other: object, *, swapped: bool = False, kind: str | None = None) -> Lanes:
        writer = self.writer
        right = other if isinstance(other, Lanes) else writer.constant(other, self.kind)
        left, right = (right, self) if swapped else (self, right)
        text = f"{word} {writer.type(self.kind)} {left.name}, {right.name}"
        return writer.instruction(text, kind or self.kind)

    __add__, __radd__ = _arithmetic("add")
    __sub__, __rsub__ = _arithmetic("sub")
    __mul__, __rmul__ = _arithmetic("mul")
    __truediv__, __rtruediv__ = _arithmetic("div")

    def __neg__(self) -> Lanes:
        return self.writer.instruction(f"fneg {self.writer.type(self.kind)} {self.name}", self.kind)

    def __abs__(self) -> Lanes:
        return self.writer.intrinsic("fabs", self)

    def __invert__(self) -> Lanes:
        return self._with("xor", -1)

    #: ``>>`` shifts zeros in from above, `shifted` the sign.
    __and__, __or__, __xor__, __lshift__, __rshift__, shifted = map(
        _of_bits, ("and", "or", "xor", "shl", "lshr", "ashr")
    )
    __lt__, __le__, __gt__, __ge__ = map(_comparison, ("olt", "ole", "ogt", "oge"))
    #: Whether two numbers are equal, false for NaN, and whether they differ, true for NaN.
    equals, differs = _comparison("oeq", "eq"), _comparison("une", "ne")


def _places(places: Iterable[int], lanes: int) -> str:
    """Return a shuffle's mask; places behind the lanes are free."""
    texts = [f"i32 {n}" if n < lanes else "i32 poison" for n in places]
    return f"<{len(texts)} x i32> <{', '.join(texts)}>"


class Writer(Lines):
    """Write one function for a number of lanes, of kind "double", or "float" where it computes in float32.

    A `narrow` one's result will be rounded to float32, so that the arithmetic need not be exact to float64's
    last bit.
    """

    def __init__(self, lanes: int, narrow: bool, kind: str = "double") -> None:
        super().__init__()
        self.lanes = lanes
        self.narrow = narrow
        self.kind = kind
        self.declarations: dict[str, str] = {}
        self._known: dict[str, Lanes] = {}

    def type(self, kind: str) -> str:
        """Return LLVM's name of the type of lanes."""
        return kind if self.lanes == 1 else f"<{self.lanes} x {kind}>"

    def constant(self, value: Any, kind: str | None = None) -> Lanes:
        """Return the same number in every lane."""
        kind = kind or self.kind
        text = number(value, DTYPES[kind]) if kind in _REALS else str(value)
        if self.lanes > 1:
            text = "<" + ", ".join([f"{kind} {text}"] * self.lanes) + ">"
        return Lanes(self, text, kind)

    def instruction(self, text: str, kind: str) -> Lanes:
        """Return the value of an instruction, which is written once."""
        if (found := self._known.get(text)) is None:
            found = self._known[text] = Lanes(self, self.value(text), kind)
        return found

    def intrinsic(self, name: str, *xs: Lanes) -> Lanes:
        """Return one of LLVM's functions of floating numbers."""
        kind = xs[0].kind
        type_ = self.type(kind)
        symbol = f"llvm.{name}.{letters(type_)}"
        self.declarations[symbol] = f"declare {type_} @{symbol}({', '.join([type_] * len(xs))})"
        operands = ", ".join(f"{type_} {x.name}" for x in xs)
        return self.instruction(f"call {type_} @{symbol}({operands})", kind)

    def _lanes(self, x: object) -> Lanes:
        return x if isinstance(x, Lanes) else self.constant(x)

    def fma(self, x: Lanes, y: object, z: object) -> Lanes:
        """Return ``x * y + z`` rounded once."""
        return self.intrinsic("fma", x, self._lanes(y), self._lanes(z))

    def muladd(self, x: Lanes, y: object, z: object) -> Lanes:
        """Return ``x * y + z``, rounded once or twice, whichever is faster."""
        return self.intrinsic("fmuladd", x, self._lanes(y), self._lanes(z))

    sqrt, floor = partialmethod(intrinsic, "sqrt"), partialmethod(intrinsic, "floor")
    trunc = partialmethod(intrinsic, "trunc")

    def copysign(self, x: object, sign: Lanes) -> Lanes:
        return self.intrinsic("copysign", self._lanes(x), sign)

    @property
    def permutes(self) -> bool:
        """Tell whether one instruction scales numbers, and one looks them up among sixteen."""
        return self.lanes in (1, 8, self._register) and engine.register_bytes() == 64

    @property
    def _register(self) -> int:
        return 16 if self.kind == "float" else 8

    def _of_register(self, name: str, types: Sequence[str], *xs: Lanes | str) -> Lanes:
        """Return what an instruction of AVX-512 finds in all lanes, or in the first ones where these fill no
        register.
        """
        register, lanes, whole = types[0], self.lanes, range(self._register)
        symbol = f"llvm.x86.avx512.{name}.512"
        self.declarations[symbol] = f"declare {register} @{symbol}({', '.join(types)})"
        operands = []
        for type_, x in zip(types, xs, strict=True):
            operand = x if isinstance(x, str) else x.name
            if isinstance(x, Lanes) and lanes < len(whole):
                first = f"insertelement {type_} zeroinitializer, {x.kind} {x.name}, i64 0"
                if lanes > 1:
                    part = self.type(x.kind)
                    first = f"shufflevector {part} {x.name}, {part} poison, {_places(whole, lanes)}"
                operand = self.instruction(first, x.kind).name
            operands.append(f"{type_} {operand}")
        found = self.instruction(f"call {register} @{symbol}({', '.join(operands)})", self.kind)
        if lanes == 1:
            found = self.instruction(f"extractelement {register} {found.name}, i64 0", self.kind)
        elif lanes < len(whole):
            mask = _places(range(lanes), lanes)
            part = f"shufflevector {register} {found.name}, {register} poison, {mask}"
            found = self.instruction(part, self.kind)
        return found

    def scaled(self, x: Lanes, exponent: Lanes) -> Lanes:
        """Return ``x * 2**floor(exponent)``, rounded once; where the processor `permutes`."""
        lanes, name = self._register, "mask.scalef.ps" if self.kind == "float" else "mask.scalef.pd"
        types = [f"<{lanes} x {self.kind}>"] * 3 + [f"i{lanes}", "i32"]
        return self._of_register(name, types, x, exponent, "zeroinitializer", "-1", "4")

    def looked_up(self, table: Sequence[float], index: Lanes) -> Lanes:
        """Return numbers of a table of 16 by the lowest bits of integers; where the processor `permutes`."""
        texts = [f"{self.kind} {number(x, DTYPES[self.kind])}" for x in table]
        low, high = ("<" + ", ".join(part) + ">" for part in (texts[: self._register], texts[8:]))
        if self.kind == "float":
            return self._of_register("permvar.sf", ["<16 x float>", "<16 x i32>"], low, index)
        types = ["<8 x double>", "<8 x i64>", "<8 x double>"]
        return self._of_register("vpermi2var.pd", types, low, index, high)

    def select(self, condition: Lanes, x: object, y: object) -> Lanes:
        x, y = self._lanes(x), self._lanes(y)
        type_ = self.type(x.kind)
        return self.instruction(
            f"select {self.type('i1')} {condition.name}, {type_} {x.name}, {type_} {y.name}", x.kind
        )

    def bits(self, x: Lanes) -> Lanes:
        """Return the bits of floating numbers as integers."""
        whole = _REALS[self.kind]
        return self.instruction(f"bitcast {self.type(self.kind)} {x.name} to {self.type(whole)}", whole)

    def from_bits(self, x: Lanes) -> Lanes:
        """Return the floating numbers that have these bits."""
        whole = self.type(_REALS[self.kind])
        return self.instruction(f"bitcast {whole} {x.name} to {self.type(self.kind)}", self.kind)

    def polynomial(self, x: Lanes, coefficients: Sequence[float]) -> Lanes:
        """Return a polynomial by rising powers of `x`, in pairs, pairs of pairs … (Estrin): a short chain."""
        terms: Sequence[Any] = coefficients
        while len(terms) > 1:
            pairs = zip(terms[::2], terms[1::2], strict=False)
            joined = [self.muladd(self._lanes(high), x, low) for low, high in pairs]
            terms, x = [*joined, *terms[2 * len(joined) :]], x * x
        return self._lanes(terms[0])

    def horner(self, x: Lanes, coefficients: Sequence[float]) -> Lanes:
        """Return a polynomial by rising powers of `x`, from the highest: the lowest decide the rounding."""
        total = self.constant(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            total = self.muladd(total, x, c)
        return total
