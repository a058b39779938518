"""The two-loop recursion of L-BFGS on short vectors, in one native call (Nocedal and Wright,
"Numerical Optimization", 2006, algorithm 7.4).

Its 400 products and sums of 100 pairs take 3 µs each as calls of NumPy. They are rounded as in `array.lanes`,
to the last bit: the sixteen lanes of a product are one vector here.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..runtime import engine
from ..runtime.shared_kernels import address

#: By the character of a dtype: its name in LLVM's text and what a call takes it as.
_REALS = {"f": ("float", ctypes.c_float), "d": ("double", ctypes.c_double)}


class Recursion:
    """The functions for both dtypes, each made when it is first asked for."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[engine.Library, Any]] = {}

    def _function(self, kind: str) -> Any:
        if kind not in self._made:
            real, number = _REALS[kind]
            library = engine.Library(engine.whole([_text(real)]), {})
            call = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 5, number, ctypes.c_int64, ctypes.c_int64)
            self._made[kind] = library, call(library.address("recursion"))
        return self._made[kind][1]

    def run(
        self, d: ndarray, steps: Sequence[int], changes: Sequence[int], inverses: Sequence[ndarray],
        scale: float,
    ) -> ndarray:  # fmt: skip
        """Apply the recursion to `d` in place, and return the weights of the steps, whose vectors are told by
        their addresses.
        """
        places = [np.array(addresses, np.int64) for addresses in (steps, changes)]
        factors = np.array([*map(float, inverses)], d.dtype)
        weights = np.empty(len(steps), d.dtype)
        self._function(d.dtype.char)(
            places[0].ctypes.data, places[1].ctypes.data, address(factors), address(d),
            address(weights), scale, len(steps), d.size,
        )  # fmt: skip
        return weights


def _nothing(lanes: int) -> str:
    return ", ".join(["float -0.0"] * lanes)


def _spread(lanes: int) -> str:
    return ", ".join(f"i32 {min(n, lanes)}" for n in range(16))


def _row(n: int) -> str:
    return ", ".join(f"i32 {4 * n + k}" for k in range(4))


def _dot() -> str:
    """Return the function that adds up products in sixteen lanes. What is not there is added as −0, which
    changes no number.
    """
    head = f"""
define internal float @dot(ptr noalias %x, ptr noalias %y, i64 %n) nounwind #0 {{
entry:
  %whole = and i64 %n, -16
  %some = icmp ne i64 %whole, 0
  %none = select i1 %some, <16 x float> <{_nothing(16)}>, <16 x float> zeroinitializer
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %lanes = phi <16 x float> [ %none, %entry ], [ %added, %body ]
  %more = icmp slt i64 %i, %whole
  br i1 %more, label %body, label %eight
body:
{_products(16, "%i")}
  %added = fadd <16 x float> %lanes, %p16
  %next = add i64 %i, 16
  br label %head
eight:
"""
    some = _some(8, ("eight", "four"), "%whole", "%lanes") + _some(4, ("four", "rest"), "%at8", "%lanes8")
    return head + some + _one_by_one() + _across()


def _products(count: int, at: str) -> str:
    """Return the lines that multiply so many numbers of both vectors, from a place on."""
    vector = f"<{count} x float>"
    return f"""\
  %x{count}a = getelementptr float, ptr %x, i64 {at}
  %y{count}a = getelementptr float, ptr %y, i64 {at}
  %x{count} = load {vector}, ptr %x{count}a, align 4
  %y{count} = load {vector}, ptr %y{count}a, align 4
  %p{count} = fmul {vector} %x{count}, %y{count}"""


def _some(count: int, blocks: tuple[str, str], at: str, lanes: str) -> str:
    """Return the lines that add so many products to the first lanes, where as many are left: from one block,
    which has begun, to another, which begins with the place and the lanes behind them.
    """
    here, then = blocks
    vector, places = f"<{count} x float>", _spread(count)
    return f"""\
  %bit{count} = and i64 %n, {count}
  %has{count} = icmp ne i64 %bit{count}, 0
  br i1 %has{count}, label %take{count}, label %{then}
take{count}:
{_products(count, at)}
  %w{count} = shufflevector {vector} %p{count}, {vector} <{_nothing(count)}>, <16 x i32> <{places}>
  %l{count} = fadd <16 x float> {lanes}, %w{count}
  br label %{then}
{then}:
  %lanes{count} = phi <16 x float> [ {lanes}, %{here} ], [ %l{count}, %take{count} ]
  %at{count} = add i64 {at}, %bit{count}
"""


def _one_by_one() -> str:
    """Return the lines that add the last products to the first lane."""
    return """\
  %lane0 = extractelement <16 x float> %lanes4, i32 0
  br label %tail
tail:
  %j = phi i64 [ %at4, %rest ], [ %j1, %one ]
  %sum0 = phi float [ %lane0, %rest ], [ %sum1, %one ]
  %left = icmp slt i64 %j, %n
  br i1 %left, label %one, label %done
one:
  %x1a = getelementptr float, ptr %x, i64 %j
  %y1a = getelementptr float, ptr %y, i64 %j
  %x1 = load float, ptr %x1a
  %y1 = load float, ptr %y1a
  %p1 = fmul float %x1, %y1
  %sum1 = fadd float %sum0, %p1
  %j1 = add i64 %j, 1
  br label %tail
done:
"""


def _across() -> str:
    """Return the lines that add the lanes up: four rows of four first, then across."""
    rows = "\n".join(
        f"  %r{n} = shufflevector <16 x float> %all, <16 x float> poison, <4 x i32> <{_row(n)}>"
        for n in range(4)
    )
    parts = "\n".join(
        f"  %{name} = extractelement <4 x float> %abcd, i32 {n}" for n, name in enumerate("abcd")
    )
    return f"""\
  %all = insertelement <16 x float> %lanes4, float %sum0, i32 0
{rows}
  %r01 = fadd <4 x float> %r0, %r1
  %r012 = fadd <4 x float> %r01, %r2
  %abcd = fadd <4 x float> %r012, %r3
{parts}
  %ac = fadd float %a, %c
  %bd = fadd float %b, %d
  %abcd1 = fadd float %ac, %bd
  ret float %abcd1
}}"""


#: Adds a multiple of a vector to another: each x + α·y of float32 is rounded once.
_ADD_SCALED = """
define internal void @add_scaled(ptr noalias %x, ptr noalias %y, float %alpha, i64 %n) nounwind #0 {
entry:
  %factor = fpext float %alpha to double
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %xa = getelementptr float, ptr %x, i64 %i
  %ya = getelementptr float, ptr %y, i64 %i
  %xv = load float, ptr %xa
  %yv = load float, ptr %ya
  %xd = fpext float %xv to double
  %yd = fpext float %yv to double
  %p = fmul double %yd, %factor
  %s = fadd double %p, %xd
  %r = fptrunc double %s to float
  store float %r, ptr %xa
  %next = add i64 %i, 1
  br label %head
done:
  ret void
}"""


#: Goes back through the history of steps and changes, and forth again.
_RECURSION = """
define void @recursion(
  ptr %steps, ptr %changes, ptr %inverses, ptr %d, ptr %weights, float %scale, i64 %count, i64 %n
) nounwind #0 {
entry:
  br label %back
back:
  %i = phi i64 [ %count, %entry ], [ %k, %backward ]
  %more = icmp sgt i64 %i, 0
  br i1 %more, label %backward, label %scaling
backward:
  %k = sub i64 %i, 1
  %sa = getelementptr ptr, ptr %steps, i64 %k
  %ya = getelementptr ptr, ptr %changes, i64 %k
  %ba = getelementptr float, ptr %inverses, i64 %k
  %wa = getelementptr float, ptr %weights, i64 %k
  %s = load ptr, ptr %sa
  %y = load ptr, ptr %ya
  %by = load float, ptr %ba
  %p = call float @dot(ptr %s, ptr %d, i64 %n)
  %w = fmul float %p, %by
  store float %w, ptr %wa
  %minus = fneg float %w
  call void @add_scaled(ptr %d, ptr %y, float %minus, i64 %n)
  br label %back
scaling:
  %j = phi i64 [ 0, %back ], [ %j1, %scaled ]
  %left = icmp slt i64 %j, %n
  br i1 %left, label %scaled, label %forth
scaled:
  %da = getelementptr float, ptr %d, i64 %j
  %dv = load float, ptr %da
  %ds = fmul float %dv, %scale
  store float %ds, ptr %da
  %j1 = add i64 %j, 1
  br label %scaling
forth:
  %m = phi i64 [ 0, %scaling ], [ %m1, %forward ]
  %rest = icmp slt i64 %m, %count
  br i1 %rest, label %forward, label %done
forward:
  %sa2 = getelementptr ptr, ptr %steps, i64 %m
  %ya2 = getelementptr ptr, ptr %changes, i64 %m
  %ba2 = getelementptr float, ptr %inverses, i64 %m
  %wa2 = getelementptr float, ptr %weights, i64 %m
  %s2 = load ptr, ptr %sa2
  %y2 = load ptr, ptr %ya2
  %by2 = load float, ptr %ba2
  %w2 = load float, ptr %wa2
  %p2 = call float @dot(ptr %y2, ptr %d, i64 %n)
  %q = fmul float %p2, %by2
  %beta = fsub float %w2, %q
  call void @add_scaled(ptr %d, ptr %s2, float %beta, i64 %n)
  %m1 = add i64 %m, 1
  br label %forth
done:
  ret void
}"""


def _text(real: str) -> str:
    """Return the functions' text for numbers of one type."""
    text = "\n".join([_dot(), _ADD_SCALED, _RECURSION])
    return text if real == "float" else _in_float64(text)


def _in_float64(text: str) -> str:
    """Return the text for float64, where nothing is computed more exactly."""
    same = re.sub(r"= fp(?:ext|trunc) \w+ (%\w+) to \w+", r"= fadd double \1, -0.0", text)
    return same.replace("float", "double")
