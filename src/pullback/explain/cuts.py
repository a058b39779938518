"""Find where a value lost its history: the construct that cut it, and the statement.

A statement is found out by what its names hold now: an input that still carries the history of what is asked
about, a result that does not. Inside a function that has returned nothing is left to look at; what is written
there can only be suspected.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ..autograd.function import FunctionMeta
from ..core.backward_task import needed_nodes
from ..core.blame import Place
from ..core.node import LEAF
from ..core.value import TensorBase
from ..nn.modules.module import Module
from .answer import Answer, kind_of, texts
from .names import parsed
from .scene import Scene, Scope, Statement, called_name, code_of, paths_in, scope_of, tensors_in
from .walk import node_of, nodes_of, reachable

#: Methods and functions whose result has no history, by the kind of cut.
DETACHING = {"detach", "detach_"}
LEAVING = {"item", "tolist", "numpy", "__array__", "data_ptr"}
COPYING = {"tensor", "Tensor", "FloatTensor", "DoubleTensor", "from_numpy", "asarray", "new_tensor"}
CHOOSING = {
    "argmax", "argmin", "argsort", "nonzero", "searchsorted", "bucketize", "one_hot", "multinomial",
    "bernoulli", "count_nonzero", "histc", "unique", "isclose", "eq", "ne", "lt", "le", "gt", "ge",
    "logical_and", "logical_or", "logical_not", "randint_like", "zeros_like", "ones_like", "rand_like",
    "randn_like", "full_like", "empty_like",
}  # fmt: skip
CASTING = {"long", "int", "bool", "short", "byte"}
NUMBERS = {"float", "int", "bool", "list"}
#: Functions that give values and, second, their indices.
SELECTING = {"max", "min", "sort", "topk", "median", "mode", "kthvalue", "cummax", "cummin"}
INTEGER_DTYPES = {"int", "long", "int8", "int16", "int32", "int64", "uint8", "bool", "short"}

#: What a variable holds, where all that it carries is seen.
KNOWN = (TensorBase, int, float, str, ModuleType, FunctionType)

#: Calls deep that the source of functions is followed.
DEPTH = 4


@dataclass(frozen=True)
class Cut:
    """A construct whose result has no history.

    `what` is what it does, as the end of a sentence that begins with the place; `code` is as it is written.
    """

    kind: str
    what: str
    mend: str
    place: Place | None
    code: str

    @classmethod
    def of(cls, name: str, place: Place | None, code: str, /, **values: str) -> Cut:
        """Return the cut that `answers.toml` has under a name."""
        text = texts()[name]
        return cls(kind_of(name), text.cause.format(**values), text.mend.format(**values), place, code)

    def answer(self, effect: str, seen: Iterable[str] = (), checked: str = "") -> Answer:
        """Return the answer that the cut is the cause of an effect, a sentence without its end."""
        cause = f"{effect}: `{self.code}` {self.what}."
        return Answer(self.kind, cause, self.place, tuple(seen), self.mend, checked)


def cuts_in(expression: ast.AST, scope: Scope, unrecorded: int = 0) -> Iterator[Cut]:
    """Yield the cutting constructs of an expression, as they are written."""
    if unrecorded:
        yield Cut.of("no_grad: block", scope.place_of_line(unrecorded), scope.place_of_line(unrecorded).code)
    for node in ast.walk(expression):
        found = _cut(node)
        if found is not None:
            # A method call that spans lines stands where its name does.
            at = node.func.end_lineno if isinstance(node, ast.Call) else getattr(node, "end_lineno", None)
            name = called_name(node.value if isinstance(node, ast.Subscript) else node)
            yield Cut.of(found, scope.place_of_line(at or 0), ast.unparse(node), name=name)


def _cut(node: ast.AST) -> str | None:
    """Return the text about a construct that cuts."""
    if isinstance(node, ast.Attribute) and node.attr == "data" and isinstance(node.ctx, ast.Load):
        return ".data: read"
    if isinstance(node, ast.Attribute) and node.attr == "grad" and isinstance(node.ctx, ast.Load):
        of_module = ast.unparse(node.value).endswith(("autograd", "func"))
        return None if of_module else "not recorded: a gradient"
    if isinstance(node, ast.Subscript) and called_name(node.value) in SELECTING:
        second = isinstance(node.slice, ast.Constant) and node.slice.value == 1
        return "not differentiable: indices" if second and isinstance(node.value, ast.Call) else None
    if isinstance(node, ast.Compare) and not isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
        return "not differentiable: comparison"
    if not isinstance(node, ast.Call):
        return None
    function = node.func
    method = isinstance(function, ast.Attribute)
    name = called_name(node)
    owner = ast.unparse(function.value) if isinstance(function, ast.Attribute) else ""
    if name in DETACHING and method:
        return "detached: cut"
    if name == "grad" and owner.endswith("autograd"):
        given = {k.arg: getattr(k.value, "value", None) for k in node.keywords}
        return None if given.get("create_graph") is True else "not recorded: grad"
    if owner in ("np", "numpy"):
        return "left the library: NumPy"
    if name in LEAVING and method:
        return "left the library: numbers"
    if name in COPYING and (not method or owner in ("torch", "pullback") or name == "new_tensor"):
        if node.args and not literal(node.args[0]):
            return "new tensor: of values"
        return None
    if name == "as_tensor" and node.args and isinstance(node.args[0], (ast.List, ast.Tuple)):
        return "new tensor: of a list"
    if name in CHOOSING and method:
        return "not differentiable: choice"
    arguments = [*node.args, *(k.value for k in node.keywords)]
    to_integers = name in ("to", "type") and any(getattr(a, "attr", "") in INTEGER_DTYPES for a in arguments)
    if to_integers or (name in CASTING and method):
        return "integer: cast"
    if name in NUMBERS and not method and node.args and not literal(node.args[0]):
        return "left the library: a number"
    return None


def _lost_by(expression: ast.expr) -> str:
    """Return the text about a statement that took a history and gave none, by what it calls."""
    for call in ast.walk(expression):
        if not isinstance(call, ast.Call):
            continue
        name = called_name(call)
        owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        if name == "deepcopy":
            return "new leaf: deepcopy"
        if name == "grad" and owner.endswith("autograd"):
            return "constant derivative"
        if owner == "math":
            return "left the library: math"
        if name == "sample" and isinstance(call.func, ast.Attribute):
            return "sampled without history: drawn"
        reentrant = next((k.value for k in call.keywords if k.arg == "use_reentrant"), None)
        if name == "checkpoint" and getattr(reentrant, "value", False) is True:
            return "checkpoint: reentrant"
    return "history lost: by a call"


def literal(node: ast.expr) -> bool:
    """Return whether an expression is made of constants alone."""
    return not any(isinstance(inner, ast.Name) for inner in ast.walk(node))


def _lost(name: str, target: str) -> str:
    """Return the evidence that a statement reads a history and its target has none."""
    if name == target:
        return f"`{name}` had the history before the line, and has not after it"
    return f"`{name}` has the history, `{target}` has not"


def _indices_taken(statement: Statement, statements: list[Statement]) -> Cut | None:
    """Return that of values and their indices, which a statement gives, only the indices are used."""
    name = called_name(statement.value)
    read = {path for s in statements for path in paths_in(s.value)}
    if name not in SELECTING or len(statement.targets) != 2:
        return None
    values, indices = statement.targets
    if (values in read and values != "_") or indices not in read:
        return None
    return Cut.of("not differentiable: indices", statement.place, ast.unparse(statement.value), name=name)


def _left_first(near: list[Cut]) -> Cut:
    """Return the cut to tell of: numbers computed outside of the library before a tensor is made of them."""
    first, *others = near
    left = next((cut for cut in others if cut.kind == "left the library"), None)
    made = ast.parse(first.code, mode="eval").body if first.kind == "new tensor" else None
    argument = made.args[0] if isinstance(made, ast.Call) and made.args else None
    if left is None or not isinstance(argument, ast.Call) or called_name(argument) in DETACHING | LEAVING:
        return first
    return replace(left, what=f"{left.what}, and `{first.code}` makes a tensor of numbers")


@dataclass
class Search:
    """Look in a scene for the place where a history ended; `carries` says whether a value has it."""

    scene: Scene
    carries: Callable[[Any], bool]

    def in_receiver(self) -> Cut | None:
        """Return the cut in what `backward` is called on at the scene's line, where a name there carries."""
        for call in self.scene.calls_here():
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            if owner is None or called_name(call) != "backward":
                continue
            for cut in cuts_in(owner, self.scene.scope) if any(map(self.holds, paths_in(owner))) else ():
                return cut
        return None

    def relevant(self, name: str, before: int) -> list[Statement]:
        """Return the statements that a name's value was computed by, in the order of the file."""
        return self.scene.scope.behind(name, before)

    def _in_order_of_use(self, name: str, before: int) -> list[Statement]:
        """Return the statements behind a name, those of a first argument before those of a target."""
        found: dict[int, Statement] = {}
        seen: set[str] = set()

        def visit(path: str) -> None:
            if path in seen:
                return
            seen.add(path)
            own = self.scene.scope.assigning(path, before)
            for statement in own:
                for inner in paths_in(statement.value):
                    visit(inner)
            for statement in own:
                found.setdefault(id(statement), statement)

        visit(name)
        return list(found.values())

    def cut(self, name: str, before: int) -> tuple[Cut, tuple[str, ...]] | None:
        """Return the cut on the way to a name: the construct, and what was seen."""
        scope = self.scene.scope
        statements = self._in_order_of_use(name, before)
        suspects: list[tuple[Cut, tuple[str, ...]]] = []
        # Names that held the history before they were given another value.
        assumed: set[str] = set()
        for statement in statements:
            targets = [t for t in statement.targets if t.split(".")[0] in self.scene.variables]
            if any(self.holds(t) for t in targets):
                taken = _indices_taken(statement, statements)
                if taken is not None and self.holds(statement.targets[0]):
                    suspects.append((taken, (f"{scope.place(statement.node)}",)))
                continue
            read = dict.fromkeys(paths_in(statement.value))
            inputs = [p for p in read if p in assumed or self.holds(p)]
            if not inputs:
                continue
            evidence = (_lost(inputs[0], statement.targets[0]), f"{scope.place(statement.node)}")
            here = list(cuts_in(statement.value, scope, statement.unrecorded))
            if here:
                near = [c for c in here if self._touches(c, inputs)] or here
                found = _left_first(near), evidence
                if near[0].kind not in ("not differentiable", "integer"):
                    return found
                # What chooses, or makes indices, may be meant to: a cut after it is likelier.
                suspects.append(found)
                continue
            direct = self._forward_called(statement)
            if direct is not None:
                return direct, evidence
            inside = list(self.inside(statement.value))
            later = [s for s in statements if s.line > statement.line and set(s.targets) & set(targets)]
            if later and not inside:
                assumed |= set(targets)
                continue
            if inside:
                suspects.append((inside[0], evidence))
            elif (switch := _switch_around(scope, statement.line)) is not None:
                return switch, evidence
            else:
                rest = evidence[1:] if self._leads_to_others(inputs[0], targets) else evidence
                suspects.append((self._lost_at(statement, inputs[0], targets), rest))
        for cut, seen in suspects:
            if cut.kind != "history lost":
                return cut, seen
        for statement in statements:
            written = filter(self._may_carry, cuts_in(statement.value, scope, statement.unrecorded))
            for cut in (*written, *self.inside(statement.value)):
                return cut, (f"on the way to `{name}`: {scope.place(statement.node)}",)
        for cut, seen in suspects:
            return cut, seen
        return None

    def _lost_at(self, statement: Statement, input: str, targets: list[str]) -> Cut:
        """Return the cut at a statement that has no cutting construct of its own."""
        place, code = statement.place, ast.unparse(statement.value)
        if self._leads_to_others(input, targets):
            return Cut.of("history lost: of others", place, code, holder=input)
        if any(".data[" in f"{target}[" for target in targets):
            return Cut.of(".data: read", place, targets[0])
        told = self._lost_by_own(statement.value, targets) or _lost_by(statement.value)
        if told == "constant derivative" and any(map(has_history, map(self.scene.value, targets))):
            told = "constant derivative: by others"
        return Cut.of(told, place, code, name=called_name(statement.value), x=input)

    def _lost_by_own(self, expression: ast.expr, targets: list[str]) -> str | None:
        """Return the text about a custom function of the program, called or differentiated, that is why."""
        for call in ast.walk(expression):
            if not isinstance(call, ast.Call):
                continue
            name, owner = called_name(call), ast.unparse(call.func).rpartition(".")[0]
            own = self.scene.value(owner)
            if name == "apply" and isinstance(own, FunctionMeta):
                held = [next(tensors_in(self.scene.value(target)), None) for target in targets]
                code = code_of(own)
                if "mark_non_differentiable" in ast.unparse(scope_of(code).tree):
                    return "own function: marked"
                return "own function: no tensor" if None in held else None
            if name == "grad" and owner.endswith("autograd"):
                values = map(self.scene.value, paths_in(call))
                nodes = reachable(nodes_of(t for value in values for t in tensors_in(value)))
                own = any(hasattr(node, "_forward_cls") for node in nodes)
                return "own backward: not recorded" if own else None
        return None

    def _may_carry(self, cut: Cut) -> bool:
        """Return whether what a construct reads may have had a history: not where all of it is known."""
        if cut.kind == "no_grad":
            return True
        roots = {path.split(".")[0] for path in paths_in(ast.parse(cut.code, mode="eval"))}
        if any(not isinstance(self.scene.variables.get(root), KNOWN) for root in roots):
            return True
        made = [s for root in roots for s in self.relevant(root, self.scene.line)]
        return any(has_history(self.scene.value(path)) for s in made for path in paths_in(s.value))

    def _forward_called(self, statement: Statement) -> Cut | None:
        """Return the call of a custom function's own `forward` in a statement."""
        for call in ast.walk(statement.value):
            if not isinstance(call, ast.Call) or called_name(call) != "forward":
                continue
            owner = ast.unparse(call.func).removesuffix(".forward")
            if isinstance(self.scene.value(owner), FunctionMeta):
                place = self.scene.scope.place_of_line(call.lineno)
                return Cut.of("forward called directly", place, ast.unparse(call), owner=owner)
        return None

    def written(self, name: str, before: int) -> tuple[Cut, tuple[str, ...]] | None:
        """Return where values with the history are written into a module that a name is computed with."""
        scope = self.scene.scope
        used = {p for s in self.relevant(name, before) for p in paths_in(s.value)}
        modules = [path for path in used if isinstance(self.scene.value(path), Module)]
        copies = [s for s in scope.statements if s.line <= before]
        for module in modules:
            for statement in copies:
                into = any(target.startswith(f"{module}.") for target in statement.targets)
                read = [p for p in paths_in(statement.value) if self.holds(p)]
                if into and read:
                    made = called_name(statement.value) == "Parameter"
                    told = "new leaf: Parameter" if made else "written into a leaf: values"
                    place, code = statement.place, ast.unparse(statement.node)
                    return Cut.of(told, place, code), (f"`{read[0]}` has the history",)
            for call, _ in scope.calls:
                loads = ast.unparse(call.func) == f"{module}.load_state_dict"
                read = [p for a in call.args for p in paths_in(a) if self.holds(p)] if loads else []
                if read:
                    place = scope.place_of_line(call.lineno)
                    cut = Cut.of("written into a leaf: values", place, ast.unparse(call.func))
                    return cut, (f"`{read[0]}` has the history",)
        return None

    def _leads_to_others(self, holder: str, targets: list[str]) -> bool:
        """Return whether results lead to a member of a module or container other than the one asked about."""
        results = [t for target in targets for t in tensors_in(self.scene.value(target))]
        members = {id(t) for t in tensors_in(self.scene.value(holder))}
        return any(id(getattr(node, "variable", None)) in members for node in reachable(nodes_of(results)))

    def _touches(self, cut: Cut, inputs: list[str]) -> bool:
        """Return whether a construct is written around one of the inputs that have the history."""
        if (written := parsed(cut.code)) is None:
            return cut.kind == "no_grad"
        return any(path in inputs for path in paths_in(written))

    def holds(self, path: str) -> bool:
        """Return whether what a path of names stands for carries the history."""
        return self.carries(self.scene.value(path))

    def inside(self, expression: ast.AST, depth: int = DEPTH) -> Iterator[Cut]:
        """Return cuts written in the functions of the program that an expression calls."""
        yield from _inside(expression, self.scene.value, depth, set())


def _inside(
    expression: ast.AST, value: Callable[[str], Any], depth: int, seen: set[CodeType]
) -> Iterator[Cut]:
    for node in ast.walk(expression):
        if not isinstance(node, ast.Call):
            continue
        called = value(ast.unparse(node.func))
        code = code_of(called)
        if code is None or code in seen or depth == 0:
            continue
        seen.add(code)
        scope = scope_of(code)
        owner = getattr(called, "__self__", called)
        known = {**getattr(called, "__globals__", {}), "self": owner}
        if isinstance(called, TensorBase):
            continue

        def look(path: str, known: dict[str, Any] = known) -> Any:
            first, *rest = path.split(".")
            found = known.get(first)
            for name in rest:
                held = {**getattr(found, "__dict__", {})}
                held |= held.get("_modules", {})
                method = getattr(type(found), name, None)
                found = held.get(name, None if method is None else method)
            return found

        # What it returns, or all of it where it returns nothing.
        for statement in scope.behind("return") or scope.statements:
            yield from cuts_in(statement.value, scope, statement.unrecorded)
            yield from _inside(statement.value, look, depth - 1, seen)


def _switch_around(scope: Scope, line: int) -> Cut | None:
    """Return the block around a line that records history only where a condition holds."""
    found = None
    for node in ast.walk(scope.tree):
        if not isinstance(node, ast.With) or not node.lineno <= line <= (node.end_lineno or line):
            continue
        calls = [i.context_expr for i in node.items if isinstance(i.context_expr, ast.Call)]
        if any(ast.unparse(call.func).endswith("set_grad_enabled") for call in calls):
            place = scope.place_of_line(node.lineno)
            found = Cut.of("no_grad: set_grad_enabled", place, place.code)
    return found


def carrier_of(x: Any, others: Iterator[Any]) -> Callable[[Any], bool]:
    """Return a test whether a value carries the history of `x`: is it, holds it, or was computed from it."""
    target: Any = node_of(x)
    if x._node is LEAF and x._accumulator is not None:
        target = x._accumulator()
    leading: Any = () if target is None else needed_nodes(nodes_of(others), {target: None})
    return lambda value: any(tensor is x or node_of(tensor) in leading for tensor in tensors_in(value))


def has_history(value: Any) -> bool:
    """Return whether a value is or holds a tensor that requires grad."""
    return any(t._node is not None for t in tensors_in(value))
