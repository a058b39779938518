"""Ask for native code in kernels of large arrays; the compiler offers it here.

NumPy passes through memory once for each ufunc of a chain, and keeps the interpreter lock in some loops. From
`SIZE` elements on the kernels here, and the rules of the pullback, first ask for one native loop made by the
compiler's own lowering of the same op. Whether there is one depends on the op, the dtypes and the sizes
alone, so that equal calls give equal results. Without llvmlite, or with ``PULLBACK_LARGE_KERNELS=0`` in the
environment, nothing is asked and the NumPy kernels do all the work.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from numpy import ndarray

from .blas import TAKES_THREADS, is_narrow, product
from .memory import adapt

#: Elements from which a native loop is asked for: the call costs 15 µs, which a pass saved over 2¹⁸ elements
#: brings back.
WORTH = 1 << 18
_NEVER = 1 << 62

#: The same where the loop is in place of a chain of ufuncs, as of an activation or a norm: it brings back
#: several passes. SiLU of 2¹⁵ float32 takes 36 µs in NumPy and 22 so, hardswish 70 with its pullback and 31.
WORTH_CHAIN = 1 << 15

#: The same of ops along rows, which are more passes still: of 2¹³ float32 softmax of rows of 64 takes 35 µs
#: in NumPy and 20 so, the pullback of layer norm 42 and 22. Up to 2¹² there are chains of NumPy's own loops.
WORTH_ROWS = (1 << 12) + 1

#: Multiplications and additions of a matrix product from which a native one is asked for: as OpenBLAS comes,
#: and where its kernels are narrow, so that native ones of this size take 0.6 of its time; elements of an
#: operand below which that is not looked at.
WORTH_MULTIPLYING, WORTH_WIDENING, _LOOKED_AT = 1 << 27, 1 << 23, 1 << 15

#: Nanoseconds that the compiler's import and a loop cost, and a loop when the compiler is there (0.06 to
#: 0.13 s measured with the loop on disk, 0.19 once where it is not).
COMPILER, LOOP = 100_000_000, 20_000_000

#: The same of what runs chains of NumPy's loops (`array.chains`): it takes a small part of the compiler.
CHAINS = 25_000_000

#: How many times work is done at most between two looks at what it costs.
_SELDOM = 15

#: `WORTH`, `WORTH_CHAIN`, `WORTH_ROWS`, and the elements of an operand, once there are native kernels.
SIZE = CHAIN = ROWS = MATRIX = _NEVER


_load: Callable[[], Any] | None = None
_source: Any = None
_load_chains: Callable[[], Any] | None = None
_chains: Any = None


def provide(load: Callable[[], Any], load_chains: Callable[[], Any]) -> None:
    """Take the functions that load the native kernels, which the first large call runs, and what runs chains
    on small arrays; they give None where there is no compiler.
    """
    global _load, _load_chains, SIZE, CHAIN, ROWS, MATRIX
    if os.environ.get("PULLBACK_LARGE_KERNELS", "1") != "0":
        _load, _load_chains = load, load_chains
        SIZE, CHAIN, ROWS, MATRIX = WORTH, WORTH_CHAIN, WORTH_ROWS, _LOOKED_AT


def take_away() -> None:
    """Do without native kernels from now on."""
    global _load, _source, _load_chains, _chains, SIZE, CHAIN, ROWS, MATRIX
    _load = _source = _load_chains = _chains = None
    SIZE = CHAIN = ROWS = MATRIX = _NEVER


def chain(note: Any) -> Any:
    """Return a native function that runs a chain (`chains.Note`); None where there is none."""
    found = _source_of_chains()
    return None if found is None else found.chain(note)


def small_call(ways: Any) -> Any:
    """Return a native function that is an op in some ways (`chains.Way`); None where there is none."""
    found = _source_of_chains()
    return None if found is None else found.call(ways)


def known_calls() -> Any:
    """Return the native code that does public calls whose like was planned (`tensor.known_calls`); None where
    there is none.
    """
    found = _source_of_chains()
    return None if found is None else found.known_calls


def backward_loop() -> Callable[..., None] | None:
    """Return the native function that does the plain part of a backward pass (`core.engine`); None where
    there is none.
    """
    found = _source_of_chains()
    return None if found is None else found.backward_loop.run


def _source_of_chains() -> Any:
    global _load_chains, _chains
    if _load_chains is not None:
        load, _load_chains = _load_chains, None
        _chains = load()
    return _chains


def source() -> Any:
    """Return the native kernels, loading them on first use; None where there are none."""
    global _load, _source, SIZE, CHAIN, ROWS, MATRIX
    if _load is not None:
        load, _load = _load, None
        adapt()
        _source = load()
        if _source is None:
            SIZE = CHAIN = ROWS = MATRIX = _NEVER
    return _source


class Rent:
    """Count what work costs in NumPy until a native loop, which gives the same bits, pays: rent, then buy.

    What is counted is the work, never a clock, so that equal programs run equally.
    """

    __slots__ = ("_bought", "_due", "_pause", "_price", "_times", "bought")

    def __init__(self, price: int | None = None) -> None:
        self._due, self._bought = 0.0, False
        #: Nanoseconds, where it is not that of a kernel.
        self._price = price
        #: How many times the next look at what the work costs is for, and how many are to pass before it.
        self._times, self._pause = 1, 0
        #: What was bought, for those who keep it here; a copy has to earn it again.
        self.bought: Any = None

    def __reduce__(self) -> Any:
        return Rent, (self._price,)

    def pays(self, nanoseconds: float) -> bool:
        """Return whether the work so far, with what is to be done now, has cost what compiling costs."""
        if not self._bought and is_there():
            self._due += nanoseconds
            self._bought = self._due >= self._cost()
        return self._bought

    def _cost(self) -> int:
        return self._price or (LOOP if is_loaded() else COMPILER)

    def pays_seldom_asked(self, cost: Callable[[], float]) -> bool:
        """Return the same of work that is done again and again, whose cost in nanoseconds takes time to find
        out: as long as a tenth of an optimizer's small step. It is not asked for each time.
        """
        if self._bought or not is_there():
            return self._bought
        if self._pause:
            self._pause -= 1
            return False
        now = cost()
        if now and not self.pays(self._times * now):
            left = self._cost() - self._due
            self._times = 1 + int(min(_SELDOM, left / (4 * now)))
            self._pause = self._times - 1
        return self._bought


def ask(kernel: str, *given: Any) -> Any:
    """Return what a native kernel makes of arrays; None where there is none for them.

    `compiler.eager_kernels.backend.Kernels` has the kernels, and says what each is given and gives.
    """
    found = source()
    return None if found is None else getattr(found, kernel)(*given)


def _worth() -> int:
    return WORTH_WIDENING if is_narrow() else WORTH_MULTIPLYING


def multiplied(x: ndarray, y: ndarray, /) -> ndarray:
    """Return ``x @ y`` for two matrices: native where it is large."""
    if y.shape[0] == 1:
        return x * y  # NumPy leaves out the products with a zero, and with it 0·nan
    if x.size < MATRIX and x.size * y.shape[1] < TAKES_THREADS:
        return x.dot(y)
    if x.size >= MATRIX and x.size * y.shape[1] >= _worth() and x.dtype is y.dtype:
        native: ndarray | None = ask("product", x, y)
        if native is not None:
            return native
    return product(x, y)


def is_there() -> bool:
    """Tell whether there are native kernels, or will be when one is asked for."""
    return SIZE != _NEVER


def is_loaded() -> bool:
    """Tell whether the kernels are loaded, or the compiler for programs, so that asking costs no import."""
    return _source is not None or "llvmlite.binding" in sys.modules
