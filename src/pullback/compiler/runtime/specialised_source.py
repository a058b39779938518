"""Write the Python function that is the short way through a call, line by line (`specialised_call`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...core import blame

#: What a short way answers when a call is not its own.
MISS: Any = type("Miss", (), {"__repr__": lambda self: "MISS"})()


def tuple_text(expressions: Iterable[str]) -> str:
    """Return the expression of a tuple."""
    inside = ", ".join(expressions)
    return f"({inside},)" if inside else "()"


class Source:
    """Lines of a function, and the names that they use."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {}

    def line(self, text: str, depth: int = 1) -> None:
        self.lines.append("    " * depth + text)

    def name(self, prefix: str, value: Any) -> str:
        """Return a name for a value that the function uses."""
        name = f"{prefix}{len(self.names)}"
        self.names[name] = value
        return name

    def unless(self, condition: str) -> None:
        """Give up where a condition fails."""
        self.line(f"if not ({condition}): return MISS")

    def attempt(self, text: str) -> None:
        """Give up where a line raises an exception."""
        self.line("try:")
        self.line(text, 2)
        self.line("except Exception:")
        self.line("return MISS", 2)

    def function(self, head: str) -> Callable[..., Any]:
        """Return the function, in a file named as inside this package for what looks for the user's line."""
        text = "\n".join([f"def {head}:", *self.lines])
        code = compile(text, f"{blame.PACKAGE}compiler{blame.PACKAGE[-1]}<shortcut>", "exec")
        space: dict[str, Any] = {**self.names, "MISS": MISS}
        exec(code, space)
        found: Callable[..., Any] = space[head.partition("(")[0]]
        found.__doc__ = text
        return found
