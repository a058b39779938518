"""Tracing whole steps to programs, native code from programs, and torch.compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from .program.program import Program
from .program.verify import ProgramError

if TYPE_CHECKING:
    from .inspection.checking import NumericalDifference
    from .inspection.report import Explanation, explain

__all__ = [
    "Explanation", "InvalidBackend", "NumericalDifference", "OptimizedModule", "Program", "ProgramError",
    "Traced", "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable",
    "explain", "get_default_backend", "is_compiling", "is_dynamo_compiling", "is_exporting", "list_backends",
    "nested_compile_region", "reset", "set_default_backend", "set_stance", "substitute_in_graph", "trace",
]  # fmt: skip

_LATER = {
    "Explanation": "inspection.report",
    "NumericalDifference": "inspection.checking",
    "explain": "inspection.report",
}


def __getattr__(name: str) -> Any:
    """Load what only those ask for who look into programs."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
