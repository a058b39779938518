"""Factor stacks of small matrices with exchanges of rows, which their right-hand sides follow."""

from __future__ import annotations

from functools import lru_cache

from ...runtime.shared_kernels import Kernel, bounds, fields, function, module
from .. import tables
from ..vector_registers import registers
from ..vectors import Code

#: What the kernel is given: matrices and right-hand sides, both column by column and written over, for each
#: pivot the row that it came from, counted from 1, for each matrix the place of its first pivot of zero or 0,
#: and numbers.
_ARRAYS = ("a", "b", "pivots", "info", "numbers")
_NUMBERS = ("height", "width", "count", "sides")
#: Nanoseconds to take a vector away from another.
_VECTOR = 0.5


@lru_cache(maxsize=1024)
def factors(real: str, count: int, width: int) -> Kernel:
    """Return the kernel for matrices of so many pivots and columns; the machine code is one."""
    work = count * (20 + width * (1 + count * _VECTOR / registers(real).lanes))
    return Kernel(("pivoted factors", real), lambda: _text(real), size=4 if real == "float" else 8, work=work)


def _text(real: str) -> str:
    code = Code(real, registers(real).lanes)
    lines = tables.read("%numbers", {f"%{name}": "i64" for name in _NUMBERS})
    code.lines += [*fields(_ARRAYS), *bounds(), *lines]
    value, at, times = code.value, code.at, code.product
    with code.loop("%first", "%last") as image:
        matrix = at("%a", times(image.index, times("%height", "%width")))
        sides = at("%b", times(image.index, times("%height", "%sides")))
        pivots = value(f"getelementptr i32, ptr %pivots, i64 {times(image.index, '%count')}")
        with code.loop(0, "%count", [("i64", "0")]) as step:
            column = at(matrix, times(step.index, "%height"))
            place = _largest(code, column, step.index)
            following = value(f"add nsw i64 {place}, 1")
            told = value(f"trunc i64 {following} to i32")
            code.line(f"store i32 {told}, ptr {value(f'getelementptr i32, ptr {pivots}, i64 {step.index}')}")
            for base, columns in ((matrix, "%width"), (sides, "%sides")):
                with code.loop(0, columns) as other:
                    line = at(base, times(other.index, "%height"))
                    upper, lower = at(line, step.index), at(line, place)
                    x, y = (value(f"load {real}, ptr {p}") for p in (upper, lower))
                    code.line(f"store {real} {y}, ptr {upper}")
                    code.line(f"store {real} {x}, ptr {lower}")
            pivot = value(f"load {real}, ptr {at(column, step.index)}")
            is_zero = value(f"fcmp oeq {real} {pivot}, 0.0")
            # Where the pivot is zero all below it are, and stay so.
            divisor = code.same(value(f"select i1 {is_zero}, {real} 1.0, {real} {pivot}"))
            begin = value(f"add nsw i64 {step.index}, 1")
            with code.loop(begin, "%height", step=code.lanes) as row:
                here, mask = _masked(code, column, row.index)
                known = code.load_masked(here, mask)
                code.store_masked(value(f"fdiv {code.vector} {known}, {divisor}"), here, mask)
            with code.loop(begin, "%width") as other:
                line = at(matrix, times(other.index, "%height"))
                number = value(f"load {real}, ptr {at(line, step.index)}")
                scale = code.same(value(f"fneg {real} {number}"))
                with code.loop(begin, "%height", step=code.lanes) as row:
                    here, mask = _masked(code, line, row.index)
                    known = code.load_masked(at(column, row.index), mask)
                    code.store_masked(code.fused(known, scale, code.load_masked(here, mask)), here, mask)
            is_first = value(f"and i1 {is_zero}, {value(f'icmp eq i64 {step.values[0]}, 0')}")
            step.values[0] = value(f"select i1 {is_first}, i64 {begin}, i64 {step.values[0]}")
        info = value(f"trunc i64 {step.values[0]} to i32")
        code.line(f"store i32 {info}, ptr {value(f'getelementptr i32, ptr %info, i64 {image.index}')}")
    return module(code, function("part", code.lines))


def _largest(code: Code, column: str, first: str) -> str:
    """Return the row with the largest number of a column, from one on, the first of equal ones."""
    value, real = code.value, code.real
    code.declarations.add(f"declare {real} @llvm.fabs.{code.letter}({real})")
    with code.loop(first, "%height", [("i64", first), (real, "-1.0")]) as row:
        x = value(f"load {real}, ptr {code.at(column, row.index)}")
        size = value(f"call {real} @llvm.fabs.{code.letter}({real} {x})")
        is_larger = value(f"fcmp ogt {real} {size}, {row.values[1]}")
        row.values = [
            value(f"select i1 {is_larger}, {type_} {new}, {type_} {old}")
            for type_, new, old in (("i64", row.index, row.values[0]), (real, size, row.values[1]))
        ]
    return row.values[0]


def _masked(code: Code, column: str, row: str) -> tuple[str, str]:
    """Return the address of a row's number, and which lanes from there on are rows."""
    return code.at(column, row), code.before(code.value(f"sub nsw i64 %height, {row}"))
