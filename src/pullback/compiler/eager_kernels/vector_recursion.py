"""The two-loop recursion of L-BFGS on short vectors, in one native call (Nocedal and Wright,
"Numerical Optimization", 2006, algorithm 7.4).

Its 400 products and sums of 100 pairs take 3 µs each as calls of NumPy. They are rounded as in `array.lanes`,
to the last bit, on vectors that are laid out as there: sixteen lanes are one vector here.
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
        self, d: ndarray, steps: Sequence[int], changes: Sequence[int], inverses: Sequence[Any], scale: float
    ) -> ndarray:
        """Apply the recursion to `d` in place, and return the weights of the steps. All vectors are laid out
        in lanes, those of the history told by their addresses.
        """
        places = [np.array(addresses, np.int64) for addresses in (steps, changes)]
        factors = np.array([*map(float, inverses)], d.dtype)
        weights = np.empty(len(steps), d.dtype)
        self._function(d.dtype.char)(
            places[0].ctypes.data, places[1].ctypes.data, address(factors), address(d),
            address(weights), scale, len(steps), d.size,
        )  # fmt: skip
        return weights


def _dot() -> str:
    """Return the function that adds up products in sixteen lanes: four rows of four first, then across."""
    nothing = ", ".join(["float -0.0"] * 16)
    rows = "\n".join(
        f"  %r{n} = shufflevector <16 x float> %lanes, <16 x float> poison, <4 x i32> "
        f"<{', '.join(f'i32 {4 * n + k}' for k in range(4))}>"
        for n in range(4)
    )
    parts = "\n".join(
        f"  %{name} = extractelement <4 x float> %abcd, i32 {n}" for n, name in enumerate("abcd")
    )
    return f"""
define internal float @dot(ptr noalias %x, ptr noalias %y, i64 %n) nounwind #0 {{
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %lanes = phi <16 x float> [ <{nothing}>, %entry ], [ %added, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %xa = getelementptr float, ptr %x, i64 %i
  %ya = getelementptr float, ptr %y, i64 %i
  %xs = load <16 x float>, ptr %xa, align 4
  %ys = load <16 x float>, ptr %ya, align 4
  %products = fmul <16 x float> %xs, %ys
  %added = fadd <16 x float> %lanes, %products
  %next = add i64 %i, 16
  br label %head
done:
{rows}
  %r01 = fadd <4 x float> %r0, %r1
  %r012 = fadd <4 x float> %r01, %r2
  %abcd = fadd <4 x float> %r012, %r3
{parts}
  %ac = fadd float %a, %c
  %bd = fadd float %b, %d
  %sum = fadd float %ac, %bd
  ret float %sum
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
