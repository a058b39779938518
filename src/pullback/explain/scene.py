"""Look at the program around a question: its variables as they are, and its statements as written.

The graph says what is connected; it does not say what is missing. Where a value lost its history is found by
putting the two together: the statement whose inputs still carry the history and whose result does not.
"""

import ast
import inspect
import linecache
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FrameType, FunctionType
from typing import Any

from ..array.locks import computed
from ..core.blame import Place, own_file
from ..core.value import TensorBase
from ..nn.modules.module import Module
from .names import MOST_MEMBERS, Names, is_begun

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Statement:
    """One statement that gives names values, or a `return`.

    Of ``self.h = …`` and ``h[0] = …`` the targets are the whole path and its first name. `unrecorded` is the
    line of the `no_grad` or `inference_mode` around it, 0 where there is none; `loops` how many loops are
    around it.
    """

    targets: tuple[str, ...]
    value: ast.expr
    node: ast.stmt
    unrecorded: int
    loops: int
    scope: "Scope"

    @property
    def line(self) -> int:
        """Return where it begins."""
        return self.node.lineno

    @property
    def place(self) -> Place:
        """Return the place of the line where it begins."""
        return self.scope.place_of_line(self.line)


class Scope:
    """The statements of one function, or of a file outside its functions, in the order of the file.

    `calls` has all calls, each with the line of the `no_grad` around it or 0. True where there is source.
    """

    def __init__(self, file: str, tree: ast.AST, name: str) -> None:
        self.file = file
        self.name = name
        self.tree = tree
        self.statements: list[Statement] = []
        self.calls: list[tuple[ast.Call, int]] = []
        unrecorded = 0
        if isinstance(tree, Function):
            unrecorded = next((d.lineno for d in tree.decorator_list if switches_off(d)), 0)
        self._read(getattr(tree, "body", []), unrecorded, 0)

    def _read(self, body: list[ast.stmt], unrecorded: int, loops: int) -> None:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            targets, value = _assigned(node)
            if value is not None:
                self.statements.append(Statement(targets, value, node, unrecorded, loops, self))
            for expression in _expressions(node):
                self.calls += [
                    (inner, unrecorded) for inner in ast.walk(expression) if isinstance(inner, ast.Call)
                ]
                if isinstance(node, ast.Expr) and any(
                    isinstance(inner, ast.Call) and _turns_off(inner) for inner in ast.walk(expression)
                ):
                    unrecorded = node.lineno
            inside = unrecorded
            if isinstance(node, (ast.With, ast.AsyncWith)) and any(
                switches_off(item.context_expr) for item in node.items
            ):
                inside = node.lineno
            deeper = loops + isinstance(node, (ast.For, ast.AsyncFor, ast.While))
            for part in ("body", "orelse", "finalbody"):
                inner_body = getattr(node, part, None)
                if isinstance(inner_body, list):
                    self._read(inner_body, inside, deeper)
            for handler in getattr(node, "handlers", ()):
                self._read(handler.body, inside, deeper)

    def __bool__(self) -> bool:
        return self is not NOWHERE

    def place(self, node: ast.AST) -> Place:
        """Return the place of a piece of the source."""
        line = getattr(node, "lineno", 0)
        text = linecache.getline(self.file, line).strip()
        return Place(self.file, line, self.name, text, ast.unparse(node) if line else "")

    def place_of_line(self, line: int) -> Place:
        """Return the place of a line."""
        return Place(self.file, line, self.name, linecache.getline(self.file, line).strip())

    def assigning(self, name: str, before: int | None = None) -> list[Statement]:
        """Return the statements that give a name a value, in the order of the file."""
        return [s for s in self.statements if name in s.targets and (before is None or s.line <= before)]

    def behind(self, name: str, before: int | None = None) -> list[Statement]:
        """Return the statements that a name's value was computed by, in the order of the file."""
        found: set[int] = set()
        seen: set[str] = set()
        waiting = [name]
        while waiting:
            current = waiting.pop()
            if current not in seen:
                seen.add(current)
                made = self.assigning(current, before)
                found |= set(map(id, made))
                waiting += [path for statement in made for path in paths_in(statement.value)]
        return [s for s in self.statements if id(s) in found]


#: The scope of code whose source is gone: without statements and calls.
NOWHERE = Scope("", ast.Module([], []), "")


def _assigned(node: ast.stmt) -> tuple[tuple[str, ...], ast.expr | None]:
    if isinstance(node, ast.Assign):
        return tuple(n for t in node.targets for n in target_names(t)), node.value
    if isinstance(node, ast.AugAssign):
        whole = ast.copy_location(ast.BinOp(as_read(node.target), node.op, node.value), node)
        return target_names(node.target), whole
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return target_names(node.target), node.value
    if isinstance(node, ast.For):
        return target_names(node.target), node.iter
    if isinstance(node, ast.Return) and node.value is not None:
        return ("return",), node.value
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        function = node.value.func
        if isinstance(function, ast.Attribute) and (
            function.attr in ("append", "extend") or function.attr.endswith("_")
        ):
            return target_names(function.value), node.value
    return (), None


def as_read(target: ast.expr) -> ast.expr:
    """Return what an assignment writes to as an expression that reads it."""
    return ast.copy_location(ast.parse(ast.unparse(target), mode="eval").body, target)


def target_names(target: ast.expr) -> tuple[str, ...]:
    """Return the names that an assignment to a target gives a value."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return tuple(n for t in target.elts for n in target_names(t))
    if isinstance(target, ast.Starred):
        return target_names(target.value)
    if isinstance(target, ast.Name):
        return (target.id,)
    if isinstance(target, (ast.Attribute, ast.Subscript)):
        first: ast.expr = target
        while isinstance(first, (ast.Attribute, ast.Subscript)):
            first = first.value
        path = ast.unparse(target)
        inner = target.value
        between = (ast.unparse(inner),) if isinstance(inner, ast.Attribute) else ()
        # Writing to an attribute of a module or of `self` gives the whole no other value.
        own = isinstance(target, ast.Subscript) and isinstance(first, ast.Name)
        return (path, *between, *((first.id,) if own and isinstance(first, ast.Name) else ()))
    return ()


def _expressions(node: ast.stmt) -> Iterator[ast.expr]:
    for _, value in ast.iter_fields(node):
        if isinstance(value, ast.expr):
            yield value
        elif isinstance(value, list):
            for one in value:
                if isinstance(one, ast.expr):
                    yield one
                elif isinstance(one, ast.withitem):
                    yield one.context_expr


def called_name(node: ast.AST | None) -> str:
    """Return the last name of what a call calls, or of an expression itself; "" for none."""
    named = getattr(node, "func", node)
    return str(getattr(named, "attr", "") or getattr(named, "id", ""))


def switches_off(expression: ast.expr) -> bool:
    """Return whether a context or decorator is `no_grad`, `inference_mode` or ``set_grad_enabled(False)``."""
    return called_name(expression) in ("no_grad", "inference_mode") or (
        isinstance(expression, ast.Call) and _turns_off(expression)
    )


def _turns_off(call: ast.Call) -> bool:
    return (
        called_name(call) in ("set_grad_enabled", "_set_grad_enabled")
        and len(call.args) == 1
        and isinstance(call.args[0], ast.Constant)
        and call.args[0].value is False
    )


@lru_cache(maxsize=64)
def _parsed(file: str, source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except SyntaxError:
        return None


def tree_of(file: str) -> ast.Module | None:
    """Return the source of a file, parsed; None where there is none."""
    lines = linecache.getlines(file)
    return _parsed(file, "".join(lines)) if lines else None


def parts_of(file: str, *kinds: type[ast.AST]) -> Iterator[Any]:
    """Yield the parts of a file's source that are of some kinds; nothing where there is no source."""
    tree = tree_of(file)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, kinds):
            yield node


def scope_of(code: CodeType | None) -> Scope:
    """Return the scope of a code object, `NOWHERE` for None and where its source is gone."""
    tree = None if code is None else tree_of(code.co_filename)
    if code is None or tree is None:
        return NOWHERE
    if code.co_name == "<module>":
        return _read_once(code.co_filename, tree, code.co_name)
    for node in _functions(tree).get(code.co_name, ()):
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        if first <= code.co_firstlineno <= node.lineno:
            return _read_once(code.co_filename, node, code.co_name)
    return NOWHERE


@lru_cache(maxsize=256)
def _read_once(file: str, tree: ast.AST, name: str) -> Scope:
    """Return the scope of a part of a file: each message looks at the same frames around its call."""
    return Scope(file, tree, name)


@lru_cache(maxsize=64)
def _functions(tree: ast.Module) -> dict[str, list[Function]]:
    """Return the functions of a file by name: a message may ask for each that a frame knows."""
    found: dict[str, list[Function]] = {}
    for node in ast.walk(tree):
        if isinstance(node, Function):
            found.setdefault(node.name, []).append(node)
    return found


def returning(code: CodeType | None) -> Place | None:
    """Return the last line of a function that returns; None where its source is not at hand."""
    return last_place(s for s in scope_of(code).statements if s.targets == ("return",))


def last_place(statements: Iterable[Statement]) -> Place | None:
    """Return the place of the last of some statements; None where there are none."""
    return next((s.place for s in reversed([*statements])), None)


class Scene:
    """A frame of the program: variables, and the statements around the line that it is at, or another one."""

    def __init__(self, frame: FrameType, line: int | None = None) -> None:
        self.frame = frame
        variables = {**frame.f_globals, **frame.f_locals}
        self.variables = {name: value for name, value in variables.items() if is_begun(value)}
        self.line = frame.f_lineno if line is None else line

    @computed
    def scope(self) -> Scope:
        """Return the statements of the frame's function; of most frames of an error nothing is asked."""
        return scope_of(self.frame.f_code)

    @computed
    def names(self) -> Names:
        """Return the program's names, as seen from the frame."""
        return Names(self.frame)

    def name_of(self, tensor: Any) -> str | None:
        """Return the program's name of a tensor, as seen from the frame."""
        return self.names.of_tensor(tensor)

    def made(self, name: str, before: int | None = None) -> Place | None:
        """Return the line that gives a name its value last, of those up to a line."""
        return last_place(self.scope.assigning(name, before))

    def value(self, path: str) -> Any:
        """Return the value of a name or a path of attributes now; None where that is not known.

        Attributes are looked up only where that runs no code of the program.
        """
        first, *rest = path.split(".")
        value = self.variables.get(first)
        for name in rest:
            held = getattr(value, "__dict__", {})
            if isinstance(value, Module):
                held = {**held, **value._parameters, **value._buffers, **value._modules}
            value = held.get(name)
        return value

    def is_at(self, node: ast.expr | ast.stmt) -> bool:
        """Return whether a piece of the source is on the scene's line."""
        return node.lineno <= self.line <= (node.end_lineno or node.lineno)

    def calls_here(self) -> list[ast.Call]:
        """Return the calls on the scene's line."""
        return [call for call, _ in self.scope.calls if self.is_at(call)]

    def statements_here(self) -> list[ast.stmt]:
        """Return the statements on the scene's line that hold no others."""
        simple = (n for n in ast.walk(self.scope.tree) if isinstance(n, ast.stmt) and not hasattr(n, "body"))
        return [node for node in simple if self.is_at(node)]

    def tensors(self) -> Iterator[Any]:
        """Yield the tensors in the frame's variables and in containers in them."""
        for value in list(self.variables.values()):
            yield from tensors_in(value)


def tensors_in(value: Any, depth: int = 2) -> Iterator[Any]:
    """Return tensors that a value is or holds, parameters of modules included."""
    if isinstance(value, TensorBase):
        yield value
    elif isinstance(value, Module):
        yield from value.parameters()
        yield from value.buffers()
    elif depth and type(value) in (list, tuple, set) and len(value) <= MOST_MEMBERS:
        for member in value:
            yield from tensors_in(member, depth - 1)
    elif depth and type(value) is dict and len(value) <= MOST_MEMBERS:
        for member in value.values():
            yield from tensors_in(member, depth - 1)


def paths_in(expression: ast.AST) -> list[str]:
    """Return names and paths of attributes that an expression reads."""
    found = []
    for node in ast.walk(expression):
        if isinstance(node, ast.Name):
            found.append(node.id)
        elif isinstance(node, ast.Attribute):
            first: ast.expr = node
            while isinstance(first, ast.Attribute):
                first = first.value
            if isinstance(first, ast.Name):
                found.append(ast.unparse(node))
    return found


def code_of(value: Any) -> CodeType | None:
    """Return the program's code that a call of a value runs; None if it is pullback's or not Python's."""
    if isinstance(value, Module):
        value = type(value).forward
    elif isinstance(value, type):
        value = getattr(value, "forward", None)
    value = getattr(value, "__func__", value)
    # A decorator of pullback's (`no_grad`) shows what it wraps.
    if isinstance(value, FunctionType):
        value = inspect.unwrap(value)
    code = getattr(value, "__code__", None)
    return code if isinstance(code, CodeType) and not own_file[code.co_filename] else None


def around(file: str, line: int) -> ast.AST | None:
    """Return the innermost function around a line of a file, or the file; None where there is no source."""
    inner: ast.AST | None = tree_of(file)
    for node in parts_of(file, ast.FunctionDef, ast.AsyncFunctionDef):
        if node.lineno <= line <= (node.end_lineno or line):
            inner = node
    return inner


def assigned_at(filename: str, name: str, before: int) -> int | None:
    """Return the last line up to `before` that assigns a plain variable of a name, in that line's scope."""
    tree = around(filename, before)
    lines = [
        node.lineno
        for node in (() if tree is None else ast.walk(tree))
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
    ]
    return max((line for line in lines if line <= before), default=None)


def function_at(file: str, line: int) -> str:
    """Return the name of the function around a line of a file."""
    return getattr(around(file, line), "name", "<module>")


def scope_at(place: Place | None) -> Scope:
    """Return the scope of the innermost function around a place, or of its file; `NOWHERE` without source."""
    tree = None if place is None else around(place.file, place.line)
    if place is None or tree is None:
        return NOWHERE
    return _read_once(place.file, tree, function_at(place.file, place.line))


def place_in(file: str, line: int) -> Place:
    """Return the place of a line of a file."""
    return Place(file, line, function_at(file, line), linecache.getline(file, line).strip())


def freezing(files: Iterable[str]) -> Place | None:
    """Return the line of the program's files that sets requires_grad to False."""
    for file in files:
        tree = tree_of(file)
        line = None if tree is None else _freezing(tree)
        if line is not None:
            return place_in(file, line)
    return None


@lru_cache(maxsize=64)
def _freezing(tree: ast.Module) -> int | None:
    """Return the line of a file that sets requires_grad to False."""
    for node in ast.walk(tree):
        off = (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Attribute)
            and node.targets[0].attr == "requires_grad"
            and getattr(node.value, "value", None) is False
        ) or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "requires_grad_"
            and bool(node.args)
            and getattr(node.args[0], "value", None) is False
        )
        if off:
            return int(getattr(node, "end_lineno", 0) or getattr(node, "lineno", 0))
    for name in _setters(tree):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and called_name(node) == name and any(
                getattr(argument, "value", None) is False
                for argument in (*node.args, *(k.value for k in node.keywords))
            ):  # fmt: skip
                return node.lineno
    return None


def conditional(place: Place) -> bool:
    """Return whether a line is under an `if`."""
    return any(
        node.lineno < place.line <= (node.end_lineno or 0) and "__name__" not in ast.unparse(node.test)
        for node in parts_of(place.file, ast.If)
    )


def _setters(tree: ast.Module) -> list[str]:
    """Return the functions of a file that set requires_grad to what they are given."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        given = {a.arg for a in (*node.args.args, *node.args.kwonlyargs)}
        for inner in ast.walk(node):
            value = None
            if isinstance(inner, ast.Assign) and getattr(inner.targets[0], "attr", "") == "requires_grad":
                value = inner.value
            elif isinstance(inner, ast.Call) and called_name(inner) == "requires_grad_" and inner.args:
                value = inner.args[0]
            if isinstance(value, ast.Name) and value.id in given:
                found.append(node.name)
    return found
