"""Why compiled functions run eagerly: what a program cannot hold, and what the user chose."""

from __future__ import annotations


class Unsupported(RuntimeError):
    """A function does what a program cannot hold; it runs eagerly."""


#: What `set_stance` has chosen, if it is not the default.
STANCE: list[str] = []
