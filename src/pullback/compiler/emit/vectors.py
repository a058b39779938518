"""Writing loops over vectors of floating numbers as LLVM's text.

A `Code` writes one function: loops whose accumulators are values rather than memory, loads and stores of
vectors, whole or cut off at an edge, and copies of rows. Offsets are in elements.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from .lines import Lines
from .tables import share

_SIZES = {"float": 4, "double": 8, "i8": 1}
_LETTERS = {"float": "f32", "double": "f64", "i8": "i8"}


class Loop:
    """A loop being written: its counter `index`, and the `values` that it carries from one iteration to the
    next.

    These are to be replaced in the body by those for the next iteration. After the loop they are the last
    ones.
    """

    def __init__(self, index: str, values: list[str]) -> None:
        self.index = index
        self.values = values


class Code(Lines):
    """Write the body of one function of numbers `real`, "float" or "double", and of vectors of `lanes` of
    them.
    """

    def __init__(self, real: str, lanes: int) -> None:
        super().__init__()
        self.real, self.lanes, self.size = real, lanes, _SIZES[real]
        self.vector = f"<{lanes} x {real}>"
        self.letter = _LETTERS[real]
        self.declarations: set[str] = set()
        self._block = "entry"

    def text(self, name: str, parameters: str) -> str:
        """Return the function, private to its module."""
        body = "\n".join(self.lines)
        return f"define internal void @{name}({parameters}) nounwind #0 {{\nentry:\n{body}\n  ret void\n}}"

    @contextmanager
    def loop(
        self, start: int | str, stop: int | str, carried: Sequence[tuple[str, str]] = (),
        step: int | str = 1,
    ) -> Iterator[Loop]:  # fmt: skip
        """Count from `start` to below `stop`, carrying values given as (type, first value)."""
        index, label = self.fresh(), f"l{self._names}"
        before = self._block
        self.line(f"br label %{label}_head")
        self.lines.append(f"{label}_head:")
        names = [self.fresh() for _ in carried]
        place = len(self.lines)
        self.lines += [""] * (1 + len(names))
        test = self.value(f"icmp slt i64 {index}, {stop}")
        self.line(f"br i1 {test}, label %{label}_body, label %{label}_exit")
        self.lines.append(f"{label}_body:")
        self._block = f"{label}_body"
        loop = Loop(index, list(names))
        yield loop
        following = self.value(f"add nsw i64 {index}, {step}")
        self.line(f"br label %{label}_head")
        end = self._block
        self.lines[place] = f"  {index} = phi i64 [ {start}, %{before} ], [ {following}, %{end} ]"
        for n, (name, (type_, first)) in enumerate(zip(names, carried, strict=True), 1):
            after = loop.values[n - 1]
            self.lines[place + n] = f"  {name} = phi {type_} [ {first}, %{before} ], [ {after}, %{end} ]"
        self.lines.append(f"{label}_exit:")
        self._block = f"{label}_exit"
        loop.values = names

    # Whole numbers.

    def times(self, x: int | str, factor: int | str) -> int | str:
        """Return ``x · factor``."""
        if isinstance(x, int) and isinstance(factor, int):
            return x * factor
        return x if factor == 1 else self.value(f"mul nsw i64 {x}, {factor}")

    def plus(self, x: int | str, y: int | str) -> int | str:
        """Return ``x + y``."""
        if isinstance(x, int) and isinstance(y, int):
            return x + y
        return x if y == 0 else self.value(f"add nsw i64 {x}, {y}")

    def least(self, x: int | str, y: int) -> int | str:
        """Return the smaller of two."""
        return min(x, y) if isinstance(x, int) else self._extreme("smin", x, y)

    def most(self, x: int | str, y: int) -> int | str:
        """Return the larger of two."""
        return max(x, y) if isinstance(x, int) else self._extreme("smax", x, y)

    def smaller(self, x: int | str, y: int | str) -> str:
        """Return the smaller of two that are known when the code runs."""
        return self._extreme("smin", x, y)

    def _extreme(self, word: str, x: int | str, y: int | str) -> str:
        self.declarations.add(f"declare i64 @llvm.{word}.i64(i64, i64)")
        return self.value(f"call i64 @llvm.{word}.i64(i64 {x}, i64 {y})")

    def bounds(self, part: str, parts: str, count: int) -> tuple[str, str]:
        """Return the stretch of `count` things that one of several parts has."""
        first, last = self.fresh(), self.fresh()
        self.lines += share(part, parts, count, first, last)
        return first, last

    # Memory.

    def at(self, pointer: str, *offsets: int | str) -> str:
        """Return the address some elements further."""
        for offset in offsets:
            if offset != 0:
                pointer = self.value(f"getelementptr {self.real}, ptr {pointer}, i64 {offset}")
        return pointer

    def load(self, pointer: str, offset: int = 0) -> str:
        """Return a vector, at any address."""
        return self.value(f"load {self.vector}, ptr {self.at(pointer, offset)}, align {self.size}")

    def store(self, value: str, pointer: str, offset: int = 0) -> None:
        """Store a vector at any address."""
        self.line(f"store {self.vector} {value}, ptr {self.at(pointer, offset)}, align {self.size}")

    def same(self, scalar: str, type_: str = "") -> str:
        """Return a vector of one number."""
        vector = f"<{self.lanes} x {type_ or self.real}>"
        first = self.value(f"insertelement {vector} poison, {type_ or self.real} {scalar}, i32 0")
        return self.value(
            f"shufflevector {vector} {first}, {vector} poison, <{self.lanes} x i32> zeroinitializer"
        )

    def spread(self, pointer: str, offset: int = 0) -> str:
        """Return a vector of the number at an address."""
        return self.same(self.value(f"load {self.real}, ptr {self.at(pointer, offset)}"))

    def fused(self, x: str, y: str, z: str) -> str:
        """Return ``x · y + z``, rounded once or twice, whichever is faster."""
        name, type_ = f"llvm.fmuladd.v{self.lanes}{self.letter}", self.vector
        self.declarations.add(f"declare {type_} @{name}({type_}, {type_}, {type_})")
        return self.value(f"call {type_} @{name}({type_} {x}, {type_} {y}, {type_} {z})")

    def total(self, vector: str) -> str:
        """Return the sum over a vector's lanes, pairwise."""
        name = f"llvm.vector.reduce.fadd.v{self.lanes}{self.letter}"
        self.declarations.add(f"declare {self.real} @{name}({self.real}, {self.vector})")
        return self.value(f"call reassoc {self.real} @{name}({self.real} -0.0, {self.vector} {vector})")

    def load_part(self, pointer: str, kept: range, lanes: int = 0, type_: str = "") -> str:
        """Return a vector of whose lanes only those in `kept` are read; zeros are in the others."""
        return self.load_masked(pointer, _mask(kept, lanes or self.lanes), lanes, type_)

    def store_part(self, value: str, pointer: str, kept: range, lanes: int = 0, type_: str = "") -> None:
        """Store those lanes of a vector that are in `kept`."""
        self.store_masked(value, pointer, _mask(kept, lanes or self.lanes), lanes, type_)

    def before(self, count: str) -> str:
        """Return the mask of the lanes before the one at `count`."""
        numbers = ", ".join(f"i64 {n}" for n in range(self.lanes))
        return self.value(f"icmp slt <{self.lanes} x i64> <{numbers}>, {self.same(count, 'i64')}")

    def load_masked(self, pointer: str, mask: str | None, lanes: int = 0, type_: str = "") -> str:
        """Return a vector with zeros in the lanes that a mask leaves out; without a mask all are read."""
        lanes, type_ = lanes or self.lanes, type_ or self.real
        vector, size = f"<{lanes} x {type_}>", _SIZES[type_]
        if mask is None:
            return self.value(f"load {vector}, ptr {pointer}, align {size}")
        name, kind = f"llvm.masked.load.v{lanes}{_LETTERS[type_]}.p0", f"<{lanes} x i1>"
        self.declarations.add(f"declare {vector} @{name}(ptr, i32 immarg, {kind}, {vector})")
        return self.value(
            f"call {vector} @{name}(ptr {pointer}, i32 {size}, {kind} {mask}, {vector} zeroinitializer)"
        )

    def store_masked(
        self, value: str, pointer: str, mask: str | None, lanes: int = 0, type_: str = ""
    ) -> None:
        """Store the lanes of a mask; without one all."""
        lanes, type_ = lanes or self.lanes, type_ or self.real
        vector, size = f"<{lanes} x {type_}>", _SIZES[type_]
        if mask is None:
            self.line(f"store {vector} {value}, ptr {pointer}, align {size}")
            return
        name, kind = f"llvm.masked.store.v{lanes}{_LETTERS[type_]}.p0", f"<{lanes} x i1>"
        self.declarations.add(f"declare void @{name}({vector}, ptr, i32 immarg, {kind})")
        self.line(f"call void @{name}({vector} {value}, ptr {pointer}, i32 {size}, {kind} {mask})")

    def along(self, count: int, vector: Callable[[int | str, int], None], unrolled: int = 0) -> None:
        """Call ``vector(position, kept)`` for each of a row's vectors; up to `unrolled` without a loop."""
        if (whole := count // self.lanes * self.lanes) > unrolled * self.lanes:
            with self.loop(0, whole, step=self.lanes) as loop:
                vector(loop.index, self.lanes)
        else:
            for position in range(0, whole, self.lanes):
                vector(position, self.lanes)
        if count > whole:
            vector(whole, count - whole)

    def over(self, count: int, vector: Callable[[int | str, int], None]) -> None:
        """Call ``vector(position, kept)`` for vectors that cover a row, for some elements twice: the last one
        begins where it still is whole.
        """
        if count < self.lanes:
            vector(0, count)
            return
        with self.loop(0, -(-count // self.lanes)) as loop:
            vector(self.least(self.times(loop.index, self.lanes), count - self.lanes), self.lanes)

    def transposed(self, rows: Sequence[str]) -> list[str]:
        """Return the columns of a square of as many vectors as a vector has lanes."""
        square, lanes = list(rows), self.lanes
        distance = 1
        while distance < lanes:
            # Blocks of `distance` numbers change places across the diagonal.
            for n in (n for n in range(lanes) if not n & distance):
                upper, lower = square[n], square[n + distance]
                left = [j if not j & distance else lanes + j - distance for j in range(lanes)]
                right = [j + distance if not j & distance else lanes + j for j in range(lanes)]
                square[n] = self.shuffle(upper, lower, lanes, left)
                square[n + distance] = self.shuffle(upper, lower, lanes, right)
            distance *= 2
        return square

    def clear(self, pointer: str, count: int | str) -> None:
        """Set elements to zero."""
        self.declarations.add("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1 immarg)")
        size = count * self.size if isinstance(count, int) else self.times(count, self.size)
        self.line(f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 {size}, i1 false)")

    def shuffle(self, x: str, y: str, lanes: int, order: Sequence[int]) -> str:
        """Return elements of two vectors of `lanes` each, in an order."""
        type_ = f"<{lanes} x {self.real}>"
        mask = ", ".join(f"i32 {n}" for n in order)
        return self.value(f"shufflevector {type_} {x}, {type_} {y}, <{len(order)} x i32> <{mask}>")


def _mask(kept: range, lanes: int) -> str | None:
    """Return the mask of some lanes; None for all."""
    if len(kept) == lanes:
        return None
    return "<" + ", ".join(f"i1 {'true' if n in kept else 'false'}" for n in range(lanes)) + ">"
