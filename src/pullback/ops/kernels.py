"""Parts that kernels of elementwise ops are made of: results for `out`, functions of SciPy, refused
dtypes.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import large
from ..array.dtype_words import type_word
from ..array.elementwise import native
from ..array.scipy_functions import special
from ..core.promotion import HALVES, check_broadcast, common_dtype, unsupported
from ..core.value import dtype_of


def into(out: Any, result: Any) -> ndarray:
    """Return a kernel's result, written to `out` where one is given."""
    if out is ...:
        return result if isinstance(result, ndarray) else np.asarray(result)
    out[...] = result
    return out


def from_scipy(name: str, *, finite: bool = False) -> Callable[..., ndarray]:
    """Return a kernel of one input from `scipy.special`, which computes one number at a time: of some on, the
    compiler's loop for the op of this name, where it has one.

    `finite`: the value at an infinite argument is nan, which is what torch's series give there.
    """

    def kernel(x: ndarray, /, out: Any = ...) -> ndarray:
        if x.size >= large.SLOW and (found := native(name, (x,), (), out)) is not None:
            return found
        infinite = np.isinf(x) if finite else False
        result = special(name)(x, out=out)
        if finite:
            np.copyto(result, np.nan, where=infinite)
        return result

    return kernel


class Refusal:
    """A check that looks at dtypes alone, and refuses some as torch's kernel of a name does.

    It does not take the `kinds` of dtypes that these letters of NumPy's name, nor, with `halves`, float16 and
    bfloat16, and with `alike` only inputs of one dtype. The first `inputs` operands of the op are no
    attributes.
    """

    def __init__(self, kernel: str, kinds: str, halves: bool, inputs: int, alike: bool) -> None:
        self._kernel, self._kinds, self._halves, self._inputs = kernel, kinds, halves, inputs
        self._alike = alike

    def takes(self, dtype: np.dtype[Any]) -> bool:
        """Return whether the kernel takes operands of which all have this dtype."""
        return not (dtype.kind.replace("W", "c") in self._kinds or (self._halves and dtype in HALVES))

    def __call__(self, *operands: Any) -> None:
        given = [v for v in operands[: self._inputs] if v is not None]
        if self._alike:
            first, *others = map(dtype_of, given)
            for dtype in others:
                if dtype != first:
                    raise RuntimeError(f"Found dtype {type_word(dtype)} but expected {type_word(first)}")
        common = common_dtype(given)
        if not self.takes(common):
            check_broadcast(given)
            raise unsupported(self._kernel, given, common)


def refuse(kernel: str, kinds: str, *, halves: bool = False, inputs: int = 2, alike: bool = False) -> Refusal:
    """Make the check of an op whose kernel is not written for all dtypes (see `Refusal`)."""
    return Refusal(kernel, kinds, halves, inputs, alike)


def is_ordered(dtype: np.dtype[Any]) -> bool:
    """Return whether numbers of a dtype have an order: complex ones have none."""
    return dtype.kind not in "cW"


def no_complex_limits(*values: Any) -> None:
    """Raise torch's error for complex values that are to be cut to limits."""
    if any(isinstance(v, ndarray) and not is_ordered(v.dtype) for v in values):
        raise NotImplementedError("clamp is not supported for complex types")
