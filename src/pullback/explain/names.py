"""Find the program's own names for tensors, modules and results.

Names are looked for where the call stands: in the variables of its frame, then of those that called it; in
modules and plain containers that a variable holds. A result whose variable is gone keeps the name that the
source line gives it, if that assigns one.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from ..core.blame import own_file, written_at
from ..core.node import LEAF, Output, edge_target
from ..core.value import TensorBase
from ..nn.modules.module import Module

#: Members of a container that are looked at; larger ones are data, not parameters.
MOST_MEMBERS = 256

#: Frames above the call that are looked at.
MOST_FRAMES = 12

#: Values whose attributes are not the program's tensors.
_CODE = (type, ModuleType, FunctionType)


class Names:
    """Names of tensors, of the nodes behind them, and of modules, as seen from a frame."""

    def __init__(self, frame: FrameType | None) -> None:
        self.tensors: dict[int, str] = {}
        self.results: dict[tuple[int, int], str] = {}
        self.modules: dict[int, str] = {}
        self.owners: dict[int, str] = {}
        #: Names of the classes of modules, by the modules' own names.
        self.kinds: dict[str, str] = {}
        #: Results that variables hold.
        self.held: list[Any] = []
        depth = 0
        while frame is not None and depth < MOST_FRAMES:
            if not own_file[frame.f_code.co_filename]:
                self._read(frame.f_locals)
                if frame.f_globals is not frame.f_locals and depth == 0:
                    self._read(frame.f_globals)
                depth += 1
            frame = frame.f_back

    def _read(self, variables: Mapping[str, Any]) -> None:
        held = [
            (name, value)
            for name, value in list(variables.items())
            if not name.startswith("__") and name != "_" and is_begun(value)
        ]
        for name, value in held:
            if isinstance(value, TensorBase):
                self._name(value, name)
        for name, value in held:
            if isinstance(value, Module):
                self._read_module(value, name)
            elif type(value) in (list, tuple, dict) and len(value) <= MOST_MEMBERS:
                for path, member in _members(value):
                    self._read_member(member, f"{name}{path}")
            elif type(inside := getattr(value, "__dict__", None)) is dict and not isinstance(value, _CODE):
                for path, member in list(inside.items())[:MOST_MEMBERS]:
                    self._read_member(member, f"{name}.{path}")

    def _read_member(self, member: Any, name: str) -> None:
        if isinstance(member, TensorBase):
            self._name(member, name)
        elif isinstance(member, Module):
            self._read_module(member, name)

    def _read_module(self, module: Module, name: str) -> None:
        if id(module) in self.modules:
            return
        for path, inner in module.named_modules():
            whole = self.modules.setdefault(id(inner), f"{name}.{path}" if path else name)
            self.kinds.setdefault(whole, type(inner).__name__)
        for path, parameter in module.named_parameters():
            self._name(parameter, f"{name}.{path}")
            self.owners.setdefault(id(parameter), f"{name}.{path}".rpartition(".")[0])
        for path, buffer in module.named_buffers():
            self._name(buffer, f"{name}.{path}")

    def _name(self, tensor: Any, name: str) -> None:
        self.tensors.setdefault(id(tensor), name)
        node = tensor._node
        if node is not None and node is not LEAF:
            maker, index = edge_target(node) if type(node) is Output else (node, 0)
            self.results.setdefault((id(maker), index), name)
            self.held.append(tensor)

    def of_tensor(self, tensor: Any) -> str | None:
        """Return the program's name of a tensor."""
        return self.tensors.get(id(tensor))

    def of_result(self, node: Any, index: int = 0) -> str | None:
        """Return the program's name of the tensor whose history ends at a node."""
        return self.results.get((id(node), index))


def is_begun(value: Any) -> bool:
    """Return whether a value can be asked what it holds: a module cannot before `Module.__init__` has run."""
    return not isinstance(value, Module) or "_modules" in vars(value)


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, member in list(value.items()):
            yield f"[{key!r}]", member
    else:
        for position, member in enumerate(value):
            yield f"[{position}]", member


def expression_at(code: CodeType, instruction: int) -> ast.expr | None:
    """Return the expression that an instruction of a frame is part of: a call as it is written."""
    _, _, lines = written_at(code, instruction)
    return parsed(f"({''.join(lines)})") if lines else None


@lru_cache(maxsize=512)
def parsed(text: str) -> ast.expr | None:
    """Return a text as an expression; None where it is none."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return None


def argument(call: ast.expr | None, position: int, keyword: str) -> ast.expr | None:
    """Return an argument of a call as it is written, by position or by keyword."""
    if not isinstance(call, ast.Call):
        return None
    if position < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args[: position + 1]):
        return call.args[position]
    return next((k.value for k in call.keywords if k.arg == keyword), None)
