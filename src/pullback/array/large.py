"""Ask for native code in kernels of large arrays; the compiler offers it here.

NumPy passes through memory once for each ufunc of a chain, and keeps the interpreter lock in some loops. From
`SIZE` elements on the kernels here, and the rules of the pullback, first ask for one native loop made by the
compiler's own lowering of the same op. Whether there is one depends on the op, the dtypes and the sizes
alone, so that equal calls give equal results. Without llvmlite, or with ``PULLBACK_LARGE_KERNELS=0`` in the
environment, nothing is asked and the NumPy kernels do all the work.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from numpy import matmul, ndarray

from . import locks
from .blas import TAKES_THREADS, product
from .memory import adapt

#: Elements from which a native loop is asked for: the call costs 15 µs, which a pass saved over 2¹⁸ elements
#: brings back.
WORTH = 1 << 18
_NEVER = 1 << 62

#: The same where the loop is in place of a chain of ufuncs, as of an activation or a norm: it brings back
#: several passes. Up to 2¹³ elements recordings of NumPy's loops are played. Of 24,576 float32 (busy machine)
#: softshrink takes 236 µs in NumPy and 17 so, hardswish 81 and 24, hardtanh 44 and 22.
WORTH_CHAIN = (1 << 13) + 1

#: The same of ops along rows, which are more passes still: of 2¹³ float32 softmax of rows of 64 takes 35 µs
#: in NumPy and 20 so, the pullback of layer norm 42 and 22. Up to 2¹² there are chains of NumPy's own loops.
WORTH_ROWS = (1 << 12) + 1

#: The same of functions that NumPy or SciPy computes one number at a time: of 3,072 float32 softplus takes
#: 65 µs there and 37 so, log-sigmoid 64 and 38, mish 81 and 47 (busy machine); of 1,024 they take as long.
WORTH_SLOW = (1 << 10) + 1

#: Multiplications and additions from which a native product is asked for, of matrices, and of stacks, which
#: NumPy gives one after another to one thread. On one thread native ones take 0.9 to 1.2 of OpenBLAS's time
#: (EPYC with AVX2), 1,000 products of 16×16 0.6; on two the half. Rows and columns from which matrices are
#: read more than once in the time: 8×1024 by 1024×2048 takes 2.8 times as long.
WORTH_MULTIPLYING, WORTH_STACKS, _SEVERAL = 1 << 23, 1 << 22, 16

#: `WORTH`, `WORTH_CHAIN`, `WORTH_ROWS`, `WORTH_SLOW`, `WORTH_MULTIPLYING`, `WORTH_STACKS`, once there are
#: native kernels.
SIZE = CHAIN = ROWS = SLOW = MATRIX = STACK = _NEVER


#: Whether only shapes and dtypes of results are asked for: no code is made for that.
unread: ContextVar[bool] = ContextVar("unread", default=False)

_load: Callable[[], Any] | None = None
_source: Any = None
_load_chains: Callable[[], Any] | None = None
_chains: Any = None

#: The native ``select(roots, targets)`` of `core.backward_task`, once the engine's loop is there.
select: Callable[..., set[Any] | None] | None = None


def provide(load: Callable[[], Any], load_chains: Callable[[], Any]) -> None:
    """Take the functions that load the native kernels, which the first large call runs, and what runs chains
    on small arrays; they give None where there is no compiler.
    """
    global _load, _load_chains, SIZE, CHAIN, ROWS, SLOW, MATRIX, STACK
    if os.environ.get("PULLBACK_LARGE_KERNELS", "1") != "0":
        _load, _load_chains = load, load_chains
        SIZE, CHAIN, ROWS, SLOW = WORTH, WORTH_CHAIN, WORTH_ROWS, WORTH_SLOW
        MATRIX, STACK = WORTH_MULTIPLYING, WORTH_STACKS


def take_away() -> None:
    """Do without native kernels from now on."""
    global _load, _source, _load_chains, _chains, select, SIZE, CHAIN, ROWS, SLOW, MATRIX, STACK
    _load = _source = _load_chains = _chains = select = None
    SIZE = CHAIN = ROWS = SLOW = MATRIX = STACK = _NEVER


def without_compiler() -> str:
    """Return why nothing can be compiled here, or nothing: LLVM is missing, or the sources are (a program may
    be packed without them), which native functions and their names in the disk cache are made from.
    """
    from importlib.util import find_spec

    if find_spec("llvmlite") is None:
        return "llvmlite is not installed; pip install 'pullback[compile]'"
    if not os.path.isfile(os.path.join(os.path.dirname(__file__), "..", "compiler", "emit", "codegen.py")):
        return "the sources of pullback are not on disk"
    return ""


def look_for_compiler() -> None:
    """Do without native kernels where nothing can be compiled."""
    if without_compiler():
        take_away()


def chains() -> Any:
    """Return what runs chains of NumPy's loops on small arrays, a
    `compiler.eager_kernels.ufunc_chains.library.Chains`; None where there is none.
    """
    global _load_chains, _chains
    if _load_chains is not None:
        # Of two, one would be freed with the machine code of functions that its thread goes on to call.
        with locks.importing:
            if _load_chains is not None:
                _chains, _load_chains = _load_chains(), None
    return _chains


def backward_loop() -> Callable[..., None] | None:
    """Return the native function for a backward pass's plain part (`core.engine`), or None."""
    global select
    found = _chains if _load_chains is None else chains()
    if found is None:
        return None
    select = found.backward_loop.select
    run: Callable[..., None] | None = found.backward_loop.run
    return run


def source() -> Any:
    """Return the native kernels, loading them on first use; None where there are none."""
    global _load, _source, SIZE, CHAIN, ROWS, SLOW, MATRIX, STACK
    if _load is not None:
        # A call meanwhile waits: NumPy's loop gives other bits than the native one.
        with locks.importing:
            if _load is not None:
                adapt()
                _source, _load = _load(), None
                if _source is None:
                    SIZE = CHAIN = ROWS = SLOW = MATRIX = STACK = _NEVER
    return _source


def ask(kernel: str, *given: Any) -> Any:
    """Return what a native kernel makes of arrays; None where there is none for them.

    `compiler.eager_kernels.backend.Kernels` has the kernels, and says what each is given and gives.
    """
    found = None if unread.get() else source()
    return None if found is None else getattr(found, kernel)(*given)


def multiplied(x: ndarray, y: ndarray, /) -> ndarray:
    """Return ``x @ y`` for two matrices: native where it is large."""
    if y.shape[0] == 1:
        return x * y  # NumPy leaves out the products with a zero, and with it 0·nan
    if (work := x.size * y.shape[1]) < TAKES_THREADS:
        return x.dot(y)
    if work >= MATRIX and x.shape[0] >= _SEVERAL <= y.shape[1] and x.dtype is y.dtype:
        native: ndarray | None = ask("product", x, y)
        if native is not None:
            return native
    return product(x, y)


def stacked(x: ndarray, y: ndarray, /) -> ndarray:
    """Return ``x @ y`` for stacks of matrices: native where that is much."""
    work = max(x.size * y.shape[-1], y.size * x.shape[-2])
    if work < TAKES_THREADS:
        return matmul(x, y)
    if work >= STACK and x.shape[-2] > 1 < y.shape[-1] and x.dtype is y.dtype:
        native: ndarray | None = ask("product", x, y)
        if native is not None:
            return native
    return product(x, y)


def is_there() -> bool:
    """Tell whether there are native kernels, or will be when one is asked for."""
    return SIZE != _NEVER
