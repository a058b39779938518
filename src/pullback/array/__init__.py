"""Kernels on bare NumPy arrays: no Tensors, no derivatives, no names of torch's.

Importing this package has one effect on the process: freed memory is kept for the next arrays (`memory`).
"""

from __future__ import annotations

from . import memory

memory.keep_freed_memory()
