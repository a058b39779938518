"""Find where a call of `backward` was made: the names there, and the call as it is written."""

from __future__ import annotations

import ast
import linecache
from dataclasses import dataclass
from types import FrameType

from ..core.blame import own_file
from .explanation import Call
from .names import Names, argument, expression_at
from .scene import called_name


@dataclass
class Site:
    """Describe where the call was made: the frame's names, and the call as it is written there."""

    kind: str
    call: Call
    names: Names
    written: ast.expr | None

    @classmethod
    def of(cls, kind: str, frame: FrameType | None) -> Site:
        """Look at the first frame outside the package, from `frame` on."""
        while frame is not None and own_file[frame.f_code.co_filename]:
            frame = frame.f_back
        if frame is None:
            return cls(kind, Call(kind, "", 0, ""), Names(None), None)
        code = frame.f_code
        line = frame.f_lineno
        text = linecache.getline(code.co_filename, line, frame.f_globals).strip()
        written = expression_at(code, frame.f_lasti)
        return cls(kind, Call(kind, code.co_filename, line, text), Names(frame), written)

    def written_output(self, position: int, count: int) -> str | None:
        """Return an output as it is written in the call."""
        if (method := self._method()) is not None:
            return _text(method.value)
        keyword = {"grad": "outputs", "backward": "tensors"}.get(called_name(self.written), "y")
        return _text(_member(argument(self.written, 0, keyword), position, count))

    def written_covector(self, position: int, count: int) -> str | None:
        """Return a covector as it is written in the call."""
        if self._method() is not None:
            return _text(argument(self.written, 0, "gradient"))
        places = {"grad": (2, "grad_outputs"), "backward": (1, "grad_tensors")}
        place, keyword = places.get(called_name(self.written), (1, "gradient"))
        return _text(_member(argument(self.written, place, keyword), position, count))

    def _method(self) -> ast.Attribute | None:
        """Return the tensor's method `backward` where the call is of that."""
        called = getattr(self.written, "func", None)
        if isinstance(called, ast.Attribute) and called.attr == "backward" and not _is_module(called.value):
            return called
        return None


def _is_module(expression: ast.expr) -> bool:
    """Return whether `torch.autograd` is what a method is called on."""
    return ast.unparse(expression).split(".")[-1] in ("autograd", "torch", "pullback")


def _member(expression: ast.expr | None, position: int, count: int) -> ast.expr | None:
    if isinstance(expression, (ast.List, ast.Tuple)) and len(expression.elts) == count:
        return expression.elts[position]
    return expression if count == 1 else None


def is_name(written: str) -> bool:
    """Return whether an expression is a variable, an attribute or an element of one."""
    return all(c.isalnum() or c in "_.[]'" for c in written)


def _text(expression: ast.expr | None) -> str | None:
    if expression is None:
        return None
    text = ast.unparse(expression)
    return text if len(text) <= 40 else None
