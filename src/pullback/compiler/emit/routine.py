"""Emitting a node that writes its loops itself (`lowered.Routine`)."""

from __future__ import annotations

from ..lower.kernel_writer import Accesses, Emission
from ..lower.lowered import Routine
from .emitter import Emitter, Module


def emit_routine(node: Routine, module: Module) -> Emission:
    """Write a node's function. It is worked off as a whole: its bounds say one row."""
    ops = Emitter(module)
    node.write(ops)
    return Emission(ops.function_text(), list(ops.parameters), 1, {}, [], 0.0, Accesses())
