"""torch._functorch: the private package by which libraries reach the steps of `vmap`."""

import importlib

#: The module; in `pullback.func` its name means the function.
vmap = importlib.import_module("pullback.func.vmap")

__all__ = ["vmap"]
