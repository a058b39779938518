"""Settings of the whole process: threads, determinism, precision of products; and the names of types.

Every op here is deterministic and computes float32 products in float32, so that of these settings only the
number of threads changes anything; the others are kept and told.
"""

from typing import Any

from ..array import threads
from ..core.settings import SETTINGS
from ..errors import type_name as name_of_type
from .conversion import type_name
from .tensor import Tensor

_DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}


def get_num_threads() -> int:
    """Return the number of threads that large ops run on."""
    return threads.get_num_threads()


def set_num_threads(int: Any, /) -> None:
    """Set the number of threads that large ops run on."""
    count = _thread_count("set_num_threads", int)
    threads.set_num_threads(count)


def _thread_count(function: str, count: Any) -> int:
    if isinstance(count, bool) or not isinstance(count, int):
        raise RuntimeError(f"{function} expects an int, but got {name_of_type(count)}")
    if count < 1:
        raise RuntimeError(f"{function} expects a positive integer")
    return count


def get_num_interop_threads() -> int:
    """Return the number of threads that ops of one program run on side by side: 1."""
    return 1


def set_num_interop_threads(int: Any, /) -> None:
    """Check the number; ops of one program run one after the other."""
    _thread_count("set_num_interop_threads", int)


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for deterministic algorithms, which all are."""
    SETTINGS.deterministic = (1 if warn_only else 2) if mode else 0


def are_deterministic_algorithms_enabled() -> bool:
    """Return whether deterministic algorithms were asked for."""
    return SETTINGS.deterministic > 0


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Return whether they were asked for with ``warn_only=True``."""
    return SETTINGS.deterministic == 1


def get_deterministic_debug_mode() -> int:
    """Return 0 for the default, 1 for a warning, 2 for an error where an algorithm is not deterministic."""
    return SETTINGS.deterministic


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Set the mode by its number or by its name: 'default', 'warn' or 'error'."""
    if not isinstance(debug_mode, int | str):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in _DEBUG_MODES:
            raise RuntimeError(
                "invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got "
                + debug_mode
            )
        debug_mode = _DEBUG_MODES[debug_mode]
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    SETTINGS.deterministic = debug_mode


def get_float32_matmul_precision() -> str:
    """Return 'highest', 'high' or 'medium'."""
    return SETTINGS.matmul_precision


def set_float32_matmul_precision(precision: str, /) -> None:
    """Allow float32 products to be less precise, which they are not; other names change nothing."""
    if precision in ("highest", "high", "medium"):
        SETTINGS.matmul_precision = precision


def set_flush_denormal(mode: bool, /) -> bool:
    """Return False: denormal numbers are kept."""
    return False


def typename(obj: Any, /) -> str:
    """Return the name of a tensor's type, of a class or of an object's class, with its module."""
    if isinstance(obj, Tensor):
        return type_name(obj)
    named = obj if hasattr(obj, "__qualname__") else type(obj)
    module = named.__module__
    return named.__qualname__ if module in ("builtins", None) else f"{module}.{named.__qualname__}"


#: torch's top level has these as they are.
FUNCTIONS: dict[str, Any] = {
    function.__name__: function
    for function in (
        get_num_threads, set_num_threads, get_num_interop_threads, set_num_interop_threads,
        use_deterministic_algorithms, are_deterministic_algorithms_enabled,
        is_deterministic_algorithms_warn_only_enabled, get_deterministic_debug_mode,
        set_deterministic_debug_mode, get_float32_matmul_precision, set_float32_matmul_precision,
        set_flush_denormal, typename,
    )
}  # fmt: skip
