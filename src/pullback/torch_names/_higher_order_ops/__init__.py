"""torch._higher_order_ops: control flow as functions, as far as libraries import it."""

from ...func.branches import cond, while_loop
from .associative_scan import associative_scan
from .scan import scan

__all__ = ["associative_scan", "cond", "scan", "while_loop"]
