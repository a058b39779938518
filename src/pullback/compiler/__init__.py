"""Tracing whole steps to programs, native code from programs, and torch.compiler."""

from typing import TYPE_CHECKING, Any

from ..array import locks

if TYPE_CHECKING:
    from .api import (
        InvalidBackend,
        OptimizedModule,
        allow_in_graph,
        assume_constant_result,
        compile,
        cudagraph_mark_step_begin,
        disable,
        get_default_backend,
        is_compiling,
        is_dynamo_compiling,
        is_exporting,
        list_backends,
        nested_compile_region,
        reset,
        set_default_backend,
        set_stance,
        substitute_in_graph,
    )
    from .frontend.trace import Traced, trace
    from .inspection.checking import NumericalDifference
    from .inspection.report import Explanation, explain
    from .program.program import Program
    from .program.verify import ProgramError

__all__ = [
    "Explanation", "InvalidBackend", "NumericalDifference", "OptimizedModule", "Program", "ProgramError",
    "Traced", "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable",
    "explain", "get_default_backend", "is_compiling", "is_dynamo_compiling", "is_exporting", "list_backends",
    "nested_compile_region", "reset", "set_default_backend", "set_stance", "substitute_in_graph", "trace",
]  # fmt: skip

#: Where names live that are not those of the module `api`.
_ELSEWHERE = {
    "Explanation": "inspection.report",
    "NumericalDifference": "inspection.checking",
    "Program": "program.program",
    "ProgramError": "program.verify",
    "Traced": "frontend.trace",
    "explain": "inspection.report",
    "trace": "frontend.trace",
}


def __getattr__(name: str) -> Any:
    """Load a name when it is first used: native code runs without tracing, compiling and layers."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = _ELSEWHERE.get(name, "api")
    with locks.importing:
        module = import_module(f"{__name__}.{home}")
    globals()[name] = getattr(module, name)
    return globals()[name]


def __dir__() -> list[str]:
    """Return the names that are here, loaded or not."""
    return sorted({*globals(), *__all__})
