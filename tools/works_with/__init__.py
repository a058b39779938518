"""Run libraries that are written on PyTorch, in an environment where torch is pullback."""
