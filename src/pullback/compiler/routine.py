"""Emitting a node that writes its loops itself (`lowered.Routine`)."""

from __future__ import annotations

from .kernel import Accesses, Emission
from .llvm.emitter import Emitter, Module
from .lowered import Routine


def emit_routine(node: Routine, module: Module) -> Emission:
    """Write a node's function. It is worked off as a whole: its bounds say one row."""
    ops = Emitter(module)
    node.write(ops)
    return Emission(ops.function_text(), list(ops.parameters), 1, {}, [], 0.0, Accesses())
