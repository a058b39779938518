"""Say where a program uses names of torch's, read from its source without running any of it."""

import ast
import sys
from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

from pullback.command.run import find_module
from pullback.torch_names.exclusions import excluded

#: Packages built against torch's compiled part, which is not there.
COMPILED = frozenset({"apex", "flash_attn", "torchaudio", "torchtext", "triton", "xformers"})
#: Methods of tensors that other objects have too, so that a call says nothing.
_COMMON = frozenset({"index", "indices", "solve", "storage_type", "values"})
#: Functions that import the module whose name they are given, Python's and pytest's.
_IMPORTERS = frozenset({"__import__", "import_module", "importorskip"})
_CAUGHT = frozenset({"AttributeError", "BaseException", "Exception", "ImportError", "ModuleNotFoundError"})


class Use(NamedTuple):
    """A place where a name is used."""

    name: str
    file: str
    line: int
    #: Whether the program goes on where the name is missing.
    guarded: bool


@cache
def held_under(name: str) -> Any:
    """Return what pullback has under a torch name; None where it has nothing.

    Raises
    ------
    ModuleNotFoundError
        The module that holds it imports a package that is not installed.
    """
    path, *parts = name.split(".")
    here: Any = find_module(path)
    for part in parts:
        path += f".{part}"
        if (held := getattr(here, part, None)) is None and isinstance(here, ModuleType):
            try:
                held = find_module(path)
            except ModuleNotFoundError:
                if (held := getattr(here, part, _NOTHING)) is _NOTHING:
                    return None
        if held is None:
            return _NONE if hasattr(here, part) else None
        if not isinstance(held, ModuleType | type):
            return held  # what a value of the program's has, its class knows
        here = held
    return here


_NOTHING = object()
#: Stands for a name whose value is None.
_NONE = object()


def _torch_name(module: str) -> str:
    """Return the name in torch of what a program imports: `pullback` and what is below it are torch's."""
    root, dot, below = module.partition(".")
    return f"torch{dot}{below}" if root == "pullback" else module


def _of_torch(module: str) -> bool:
    root = module.partition(".")[0]
    return root in ("torch", "functorch", "torchvision") or root in COMPILED


def _imported(node: ast.Call) -> str | None:
    """Return the torch name of the module that a call imports by its literal name, or None."""
    function, argument = node.func, node.args[0] if node.args else None
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    literal = argument.value if isinstance(argument, ast.Constant) else None
    if name not in _IMPORTERS or not isinstance(literal, str):
        return None
    module = _torch_name(literal)
    module = module.partition(".")[0] if name == "__import__" else module
    return module if _of_torch(module) else None


class Reader(ast.NodeVisitor):
    """Collect the uses of one file. A scope maps the names bound in it to torch's, or None for others."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.uses: list[Use] = []
        self.scopes: list[dict[str, str | None]] = [{}]
        self.guards = 0
        self.asked: set[str] = set()
        #: Other packages that are imported, and the line of the first import of each.
        self.packages: dict[str, Use] = {}
        #: What the program calls methods and attributes of its own.
        self.own: set[str] = set()

    def _import(self, module: str, node: ast.AST) -> None:
        root = module.partition(".")[0]
        if root not in sys.stdlib_module_names and root not in ("torch", "functorch"):
            self.packages.setdefault(root, Use(root, self.file, getattr(node, "lineno", 0), self.guards > 0))

    def _use(self, name: str, node: ast.AST) -> None:
        guarded = self.guards > 0 or name in self.asked
        self.uses.append(Use(name, self.file, getattr(node, "lineno", 0), guarded))

    def _bind(self, name: str, meaning: str | None) -> None:
        self.scopes[-1][name] = meaning

    def _meaning(self, node: ast.AST) -> str | None:
        """Return the torch name that an expression spells, or None."""
        if isinstance(node, ast.Name):
            return next((s[node.id] for s in reversed(self.scopes) if node.id in s), None)
        if isinstance(node, ast.Attribute):
            above = self._meaning(node.value)
            return None if above is None else f"{above}.{node.attr}"
        return _imported(node) if isinstance(node, ast.Call) else None

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            module = _torch_name(alias.name)
            self._import(module, node)
            if _of_torch(module):
                self._use(module, node)
                root = alias.name.split(".")[0]
                self._bind(alias.asname or root, module if alias.asname else _torch_name(root))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = _torch_name(node.module or "")
        if not node.level:
            self._import(module, node)
        if node.level or not _of_torch(module):
            for alias in node.names:
                self._bind(alias.asname or alias.name, None)
            return
        for alias in node.names:
            if alias.name == "*":
                self._use(module, node)
                for name in _public(module):
                    self._bind(name, f"{module}.{name}")
            else:
                self._use(f"{module}.{alias.name}", node)
                self._bind(alias.asname or alias.name, f"{module}.{alias.name}")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if (meaning := self._meaning(node)) is not None:
            self._use(meaning, node)
            return
        self.visit(node.value)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self._bind(node.id, None)
            return
        if (meaning := self._meaning(node)) is not None and "." in meaning:
            self._use(meaning, node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        meaning = self._meaning(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._bind(target.id, meaning)
            else:
                self.visit(target)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if (module := _imported(node)) is not None:
            self._use(module, node)
        if isinstance(function, ast.Attribute) and self._meaning(function) is None:
            # An attribute that is not called may be anything's; so may what the program has itself.
            method = function.attr
            if (method in _missing_methods() or method == "cuda") and method not in self.own:
                self._use(f"torch.Tensor.{method}", function)
        literal = node.args[1] if len(node.args) > 1 else None
        if (
            isinstance(function, ast.Name) and function.id in ("getattr", "hasattr")
            and isinstance(literal, ast.Constant) and isinstance(literal.value, str)
            and (above := self._meaning(node.args[0])) is not None
        ):
            name = f"{above}.{literal.value}"
            if function.id == "hasattr":
                self.asked.add(name)
            optional = function.id == "hasattr" or len(node.args) > 2
            self.guards += optional
            self._use(name, node)
            self.guards -= optional
        self.generic_visit(node)

    def visit_Try(self, node: ast.Try) -> None:
        caught = {
            part.id for handler in node.handlers for part in ast.walk(handler.type or ast.Name("Exception"))
            if isinstance(part, ast.Name)
        }  # fmt: skip
        guards = bool(caught & _CAUGHT)
        self.guards += guards
        for statement in node.body:
            self.visit(statement)
        self.guards -= guards
        for part in (*node.handlers, *node.orelse, *node.finalbody):
            self.visit(part)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        arguments = node.args
        for outer in (*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)):
            self.visit(outer)
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
        for argument in every:
            if argument.annotation is not None:
                self.visit(argument.annotation)
        if not isinstance(node, ast.Lambda):
            for outer in (*node.decorator_list, *([node.returns] if node.returns else [])):
                self.visit(outer)
            self._bind(node.name, None)
        self.scopes.append(dict.fromkeys((a.arg for a in every), None))
        for statement in [node.body] if isinstance(node, ast.Lambda) else node.body:
            self.visit(statement)
        self.scopes.pop()

    visit_FunctionDef = _function
    visit_AsyncFunctionDef = _function
    visit_Lambda = _function

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node.name, None)
        self.scopes.append({})
        self.generic_visit(node)
        self.scopes.pop()


@cache
def _missing_methods() -> frozenset[str]:
    return frozenset(excluded("torch.Tensor")) - _COMMON


def _public(module: str) -> list[str]:
    found = held_under(module)
    return list(getattr(found, "__all__", ())) if found is not None else []


def read(source: str, file: str) -> list[Use]:
    """Return the uses of torch's names in a source, or raise `SyntaxError`; `file` is its name in both."""
    return read_parts([(file, source)]).uses


def read_parts(parts: Iterable[tuple[str, str]]) -> Reader:
    """Read sources that follow each other, each with its name, as cells do, or raise `SyntaxError`."""
    reader = Reader("")
    for file, source in parts:
        tree = ast.parse(source, file)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                reader.own.add(node.name)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                reader.own.add(node.attr)
        reader.file = file
        reader.visit(tree)
    return reader
