"""Tracing whole steps to programs, and torch.compiler; native code from programs is a later layer."""

from __future__ import annotations

from .eager import (
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
from .program import Program
from .trace import Traced, trace
from .verify import ProgramError

__all__ = [
    "InvalidBackend", "OptimizedModule", "Program", "ProgramError", "Traced", "allow_in_graph",
    "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable", "get_default_backend",
    "is_compiling", "is_dynamo_compiling", "is_exporting", "list_backends", "nested_compile_region", "reset",
    "set_default_backend", "set_stance", "substitute_in_graph", "trace",
]  # fmt: skip
