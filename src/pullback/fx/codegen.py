"""Write a graph as Python code: one line for each node, values let go after their last use."""

from __future__ import annotations

import enum
import math
import types
import typing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ..core.device import device
from ..tensor.tensor import Tensor
from ..torch_names._aten.overload import OpOverload
from ..torch_names._aten.translated import OwnOp
from ..utils import _pytree as pytree
from .names import RESERVED, Namespace
from .node import Node, last_uses, short_dtype, type_name
from .targets import qualified_name, torch_path

#: Operators whose swapped form is a method of its own, and how they are written.
REFLECTABLE = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "floordiv": "{} // {}", "truediv": "{} / {}",
    "mod": "{} % {}", "pow": "{} ** {}", "lshift": "{} << {}", "rshift": "{} >> {}", "and_": "{} & {}",
    "or_": "{} | {}", "xor": "{} ^ {}", "getitem": "{}[{}]", "matmul": "{} @ {}",
}  # fmt: skip
OPERATORS = {
    "eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "gt": "{} > {}", "le": "{} <= {}", "ge": "{} >= {}",
    "pos": "+{}", "neg": "-{}", "invert": "~{}", **REFLECTABLE,
}  # fmt: skip
IN_PLACE = {
    f"i{name.rstrip('_')}": text.replace(" {}", "= {}") for name, text in REFLECTABLE.items() if " " in text
} | {"setitem": "{}[{}] = {}"}  # fmt: skip


def everywhere() -> dict[str, Any]:
    """Return the names that each graph's code may use without an import, beside the builtins."""
    top = import_module(__name__.split(".", 1)[0])
    return {
        "inf": math.inf, "nan": math.nan, "NoneType": type(None), "torch": top, "device": device,
        "pytree": pytree,
    }  # fmt: skip


#: The imports that a saved module's code begins with, by name.
IMPORTS = {
    "inf": "from math import inf", "nan": "from math import nan", "NoneType": "NoneType = type(None)",
    "torch": "import torch", "device": "from torch import device",
    "pytree": "import torch.utils._pytree as pytree",
}  # fmt: skip
RESERVED.update(dict.fromkeys(IMPORTS, object()))

#: Python's own names of the types that `typing` spells in capitals.
_TYPING = {list: list, dict: dict, set: set, frozenset: frozenset, tuple: tuple}


@dataclass
class PythonCode:
    """A graph's code.

    Attributes
    ----------
    src : str
        The definition of `forward`.
    globals : dict
        What its names stand for.
    """

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] = field(default_factory=dict)
    _prologue_start: int = 0


def dotted(base: str, target: str) -> str:
    """Return the expression that reads a path such as ``layers.0.weight``."""
    for part in target.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base


class CodeGen:
    """Write a graph's code; a subclass may change how `forward` begins and ends."""

    def __init__(self) -> None:
        self._body_transformer: Callable[[list[str]], list[str]] | None = None
        self._func_name = "forward"

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """Return the line that begins the function."""
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(self, output_args: Any, *, repr_fn: Callable[[Any], str] = repr) -> str:
        """Return the statement that ends it."""
        return f"return {repr_fn(output_args)}"

    def process_inputs(self, *args: Any) -> Any:
        """Return the graph's inputs from those of the function."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """Return the function's result from the graph's."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Return more names that the code uses, with what they stand for."""
        return []

    def write(self, nodes: Sequence[Node], root: str, names: Namespace, verbose: bool) -> PythonCode:
        """Return the code of nodes in order; `root` is what it calls the module."""
        return _Writer(self, nodes, root, names, verbose).code()


class _Writer:
    """One run of a code generator."""

    def __init__(
        self, generator: CodeGen, nodes: Sequence[Node], root: str, names: Namespace, verbose: bool
    ) -> None:
        self._generator = generator
        self._nodes = nodes
        self._root = root
        self._names = names
        self._verbose = verbose
        self._parameters: list[str] = []
        self._returns = ""
        self._globals: dict[str, Any] = {}
        self._wrapped: dict[str, None] = {}
        for name, value in everywhere().items():
            RESERVED[name] = value
            self._global(name, value)

    def code(self) -> PythonCode:
        body = self._body()
        if self._generator._body_transformer is not None:
            body = self._generator._body_transformer(body)
        for name, value in self._generator.additional_globals():
            self._global(name, value)
        calls = ""
        if self._wrapped:
            wrap = import_module(f"{__package__}._symbolic_trace").wrap
            name = self._global("wrap", wrap)
            calls = "\n".join(f'{name}("{function}")' for function in self._wrapped)
        head = self._generator.gen_fn_def(self._parameters, self._returns)
        lines = "".join(body).lstrip("\n").split("\n")
        text = "\n".join(f"    {line}" for line in lines)
        return PythonCode(
            f"\n{calls}\n\n{head}\n{text}", self._globals, _prologue_start=calls.count("\n") + 4
        )

    def _body(self) -> list[str]:
        freed = last_uses(reversed(self._nodes))
        body: list[str] = []
        unknown = "\n# No stacktrace found for following nodes\n"
        for node in self._nodes:
            inner = node.op not in ("placeholder", "output")
            if self._verbose and inner:
                remark = f"\n# {node.stack_trace.splitlines()[0]}\n" if node.stack_trace else unknown
                if remark not in body:
                    body.append(remark)
            if (statement := self._statement(node)) is None:
                continue
            if not inner:
                body.append(f"{statement}\n")
                continue
            done = [*freed.get(node, [])] + ([] if node.users else [node])
            clear = f";  {' = '.join([*map(repr, done), 'None'])}" if done else ""
            body.append(f"{statement}{clear}\n")
        return body or ["pass\n"]

    # --- names of things outside the graph ------------------------------------------------------------------

    def _global(self, wished: str, value: Any) -> str:
        path = torch_path(value) if not isinstance(value, types.ModuleType) else None
        if path is not None and value is not device:
            return path
        name = self._names.create(wished, value)
        self._globals[name] = value
        return name

    def _type(self, kind: Any) -> str:
        if kind == ():
            return "()"
        printed = type_name(kind)
        if isinstance(kind, types.UnionType) and "|" in printed:
            return "|".join(map(self._type, typing.get_args(kind)))
        if (origin := typing.get_origin(kind)) is None:
            return self._global(printed, kind)
        if origin is typing.Union:
            origin = typing.Optional if type(None) in typing.get_args(kind) else typing.Union
            parts = [a for a in typing.get_args(kind) if origin is typing.Union or a is not type(None)]
        else:
            parts = list(typing.get_args(kind))
        name = self._global(type_name(origin), _TYPING.get(origin, origin))
        return f"{name}[{','.join(map(self._type, parts))}]" if parts else name

    # --- statements -----------------------------------------------------------------------------------------

    def _value(self, arg: Any) -> str:
        if isinstance(arg, Node):
            return repr(arg)
        if isinstance(arg, (OpOverload, OwnOp)):
            return self._global(qualified_name(arg), arg)
        if isinstance(arg, tuple) and hasattr(arg, "_fields"):
            name = self._global(qualified_name(type(arg)), type(arg))
            return f"{name}{tuple(arg)!r}"
        if isinstance(arg, enum.Enum):
            return f"{self._global(type(arg).__name__, type(arg))}.{arg.name}"
        if isinstance(arg, Tensor):
            return f"torch.Tensor(size={list(arg.shape)}, dtype={str(arg.dtype).split('.')[-1]})"
        if isinstance(arg, tuple):
            return f"({', '.join(map(self._value, arg))}{',' if len(arg) == 1 else ''})"
        if isinstance(arg, list):
            return f"[{', '.join(map(self._value, arg))}]"
        if isinstance(arg, slice):
            return f"slice({', '.join(map(self._value, (arg.start, arg.stop, arg.step)))})"
        return repr(arg)

    def _arguments(self, args: Sequence[Any], kwargs: dict[str, Any]) -> str:
        by_position = map(self._value, args)
        return ", ".join([*by_position, *(f"{name} = {self._value(v)}" for name, v in kwargs.items())])

    def _annotation(self, node: Node) -> str:
        known = node.meta.get("val", node.meta.get("tensor_meta"))
        if self._verbose and known is not None and hasattr(known, "dtype"):
            return f': "{short_dtype(known.dtype)}{list(known.shape)}"'
        return "" if node.type is None else f" : {self._type(node.type)}"

    def _statement(self, node: Node) -> str | None:
        kind = self._annotation(node)
        if node.op == "placeholder":
            default = f" = {self._value(node.args[0])}" if node.args else ""
            self._parameters.append(f"{node.target}{kind}{default}")
            plain = node.target.replace("*", "")
            return None if plain == repr(node) else f"{node!r} = {plain}"
        if node.op == "output":
            if node.type is not None:
                self._returns = f" -> {self._type(node.type)}"
            return self._generator.generate_output(node.args[0], repr_fn=self._value)
        return next(self._assigned(node, f"{node!r}{kind}"))

    def _assigned(self, node: Node, to: str) -> Iterator[str]:
        args = self._arguments(node.args, node.kwargs)
        if node.op == "get_attr":
            yield f"{to} = {dotted(self._root, node.target)}"
        if node.op == "call_module":
            yield f"{to} = {dotted(self._root, node.target)}({args})"
        if node.op == "call_method":
            method = dotted(self._value(node.args[0]), node.target)
            yield f"{to} = {method}({self._arguments(node.args[1:], node.kwargs)})"
        if getattr(node.target, "__module__", "") == "_operator":
            values = map(self._value, node.args)
            if node.target.__name__ in OPERATORS:
                yield f"{to} = {OPERATORS[node.target.__name__].format(*values)}"
            if node.target.__name__ in IN_PLACE:
                change = IN_PLACE[node.target.__name__].format(*values)
                yield f"{change};  {to} = {self._value(node.args[0])}"
        name = self._global(qualified_name(node.target), node.target)
        if name == "getattr" and len(node.args) == 2 and str(node.args[1]).isidentifier():
            yield f"{to} = {self._value(node.args[0])}.{node.args[1]}"
        if node.meta.get("is_wrapped"):
            self._wrapped.setdefault(name)
        yield f"{to} = {name}({args})"
