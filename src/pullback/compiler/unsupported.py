"""The error of what a program cannot hold."""

from __future__ import annotations


class Unsupported(RuntimeError):
    """A function does what a program cannot hold; it runs eagerly."""
