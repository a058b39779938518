"""Judge errors of a loss without history: what cut it off, switched recording off, or froze the weights."""

import ast
from dataclasses import replace
from types import ModuleType
from typing import Any

from ..core.blame import Place
from ..core.modes import modes
from ..core.value import TensorBase
from ..nn.modules.module import Module
from .answer import Answer
from .cuts import Search, carrier_of, cuts_in, has_history
from .failure import Raised, plain
from .findings.keeping import filling
from .missing import switched_off
from .names import parsed
from .scene import (
    Scene,
    Scope,
    called_name,
    code_of,
    parts_of,
    paths_in,
    place_in,
    scope_at,
    scope_of,
    switches_off,
    tensors_in,
)


def no_history(error: BaseException, raised: Raised) -> Answer:
    """Judge a backward on a tensor without history."""
    scene = raised.scene
    if scene is None or not scene.scope:
        return plain(error, raised)
    names = raised.names_at()
    asked = _asked_by(raised) if "One of the differentiated" in str(error) else None
    if asked is not None:
        return asked
    frame = scene.frame
    own = frame.f_locals.get(next(iter(frame.f_code.co_varnames), ""))
    if hasattr(own, "_forward_cls") and frame.f_code.co_name in ("backward", "vjp"):
        return Answer.of("no_grad: in a backward", raised.place, first=(names or ["the output"])[0])
    off = _switched_off_here(raised)
    if off is not None:
        return Answer.of("no_grad", off, first=(names or ["the loss"])[0], off=off)
    search = Search(scene, has_history)
    written = search.in_receiver()
    if written is not None:
        return written.answer(f"`{names[0]}` has a history, and what goes backward has none")
    for name in names:
        replaced = _replaced(raised, name)
        if replaced is not None:
            return replaced
        found = search.cut(name, scene.line)
        lost = found is None or found[0].kind == "history lost"
        frozen = _frozen(name, raised) or (_partly_frozen(name, raised, search) if lost else None)
        if frozen is None and found is not None and found[0].kind in ("detached", ".data"):
            frozen = _frozen_outside(name, raised, search, found[0].code)
            lost = frozen is not None
        if frozen is not None and lost:
            return frozen
        if found is not None:
            cut, evidence = found
            earlier = _appended(cut.code, scene) if cut.kind == "new tensor" else None
            if earlier is not None:
                what = f"{earlier.what}, and `{cut.code}` makes a tensor of these numbers"
                cut = replace(earlier, what=what)
            return cut.answer(f"`{name}` has no history", evidence)
        statements = search.relevant(name, scene.line)
        read = list(dict.fromkeys(path for s in statements for path in paths_in(s.value)))
        modules = [p for p in read if isinstance(scene.value(p), Module)]
        for module in modules:
            trained = any(p.requires_grad for p in scene.value(module).parameters())
            place = switched_off(module, scene) or (None if trained else raised.freezing())
            if place is not None:
                return Answer.of("switched off: the whole module", place, module=module)
        first = [s for s in statements if not any(has_tensor(scene.value(p)) for p in paths_in(s.value))]
        makers = [s for s in first if has_tensor(scene.value(s.targets[0]))]
        if makers:
            return Answer.of(
                "does not require grad: nothing does", makers[0].place, name=name, name_2=makers[0].targets[0]
            )
    return plain(error, raised)


def _asked_by(raised: Raised) -> Answer | None:
    """Return the answer that an input of `autograd.grad` does not require grad, and where it is made."""
    scene = raised.scene
    if scene is None:
        return None
    for call in scene.calls_here():
        if called_name(call) != "grad":
            continue
        given = next((k.value for k in call.keywords if k.arg == "inputs"), None)
        given = call.args[1] if given is None and len(call.args) > 1 else given
        for path in paths_in(given) if given is not None else ():
            x = scene.value(path)
            if isinstance(x, TensorBase) and x._node is None:
                return _where_made(path, x, raised)
    return None


def _where_made(path: str, x: Any, raised: Raised) -> Answer:
    place, name = raised.place, path
    for outer in raised.scenes:
        names = [n for n, value in outer.variables.items() if value is x]
        made = [s for n in names for s in outer.scope.assigning(n, outer.line)]
        if made:
            name, place = names[0], made[-1].place
            break
    return Answer.of("does not require grad: where made", place, path=path, name=name, raised=raised)


def _replaced(raised: Raised, name: str) -> Answer | None:
    """Return the answer that a method of an object replaced its leaf by a result without history."""
    for scene in raised.scenes:
        for owner_name, owner in list(scene.variables.items()):
            inside = getattr(owner, "__dict__", None)
            if isinstance(owner, (type, ModuleType)) or type(inside) is not dict or len(inside) > 256:
                continue
            found = _replacing(owner, inside)
            if found is not None:
                return Answer.of(
                    "replaced leaf: of an object", found[0], name=name, owner_name=owner_name,
                    attribute=found[1]
                )
    return None


def _replacing(owner: Any, inside: dict[str, Any]) -> tuple[Place, str] | None:
    # To read the source of a method takes milliseconds, and a stack has many objects.
    if not any(isinstance(value, TensorBase) and value._node is None for value in inside.values()):
        return None
    for method in vars(type(owner)).values():
        for statement in scope_of(code_of(method)).statements:
            if isinstance(statement.node, ast.AugAssign) or not statement.unrecorded:
                continue
            for target in statement.targets:
                attribute = target.removeprefix("self.")
                value = inside.get(attribute)
                if (
                    target.startswith("self.")
                    and target in paths_in(statement.value)
                    and f"{target}.grad" in ast.unparse(statement.value)
                    and isinstance(value, TensorBase)
                    and value._node is None
                ):
                    return statement.place, attribute
    return None


def _appended(code: str, scene: Scene) -> Any:
    """Return the cut at which the numbers of a list were put in, where a tensor is made of plain numbers."""
    made = parsed(code)
    if not isinstance(made, ast.Call) or not made.args:
        return None
    path = ast.unparse(made.args[0])
    value = scene.value(path)
    if not isinstance(value, list) or not value or not all(isinstance(v, (int, float)) for v in value):
        return None
    for call in filling(path, scene, "append", "extend", "insert"):
        whole = scope_at(place_in(scene.frame.f_code.co_filename, call.lineno))
        for argument in call.args:
            for cut in cuts_in(argument, whole):
                return cut
    return None


def _switched_off_here(raised: Raised) -> Place | None:
    """Return the line that switched recording off, where it is still off."""
    if modes().grad:
        return None
    for scene in raised.scenes:
        scope = scene.scope
        unrecorded = [
            s.unrecorded for s in scope.statements if s.unrecorded and _around(scope, s.unrecorded, scene)
        ]
        unrecorded += [n for call, n in scope.calls if n and call.lineno == scene.line]
        if unrecorded:
            return scope.place_of_line(unrecorded[-1])
    for scene in raised.scenes:
        lines = [
            node.lineno for node in parts_of(scene.frame.f_code.co_filename, ast.Expr)
            if isinstance(call := node.value, ast.Call) and switches_off(call)
            and "no_grad" not in ast.unparse(call.func)
        ]  # fmt: skip
        if lines:
            return place_in(scene.frame.f_code.co_filename, lines[-1])
    return None


def _around(scope: Scope, line: int, scene: Scene) -> bool:
    """Return whether the block or function whose line switches recording off holds a scene's line."""
    for node in ast.walk(scope.tree):
        if isinstance(node, (ast.With, ast.AsyncWith)) and node.lineno == line:
            return node.lineno <= scene.line <= (node.end_lineno or scene.line)
    return line <= scene.line


def _frozen(name: str, raised: Raised) -> Answer | None:
    """Return the answer that no parameter of any module in sight requires grad; None where one does."""
    modules = [
        (path, m) for s in raised.scenes for path, m in s.variables.items()
        if isinstance(m, Module) and next(m.parameters(), None) is not None
    ]  # fmt: skip
    if not modules or any(p.requires_grad for _, m in modules for p in m.parameters()):
        return None
    place = raised.freezing()
    if place is None:
        return None
    return Answer.of("switched off: all frozen", place, name=name, module=modules[0][0])


def _partly_frozen(name: str, raised: Raised, search: Search) -> Answer | None:
    """Return the answer that a module which computed a name has frozen parameters: those that it uses."""
    scene = raised.scene
    assert scene is not None  # the caller has looked
    place = raised.freezing()
    if place is None:
        return None
    for path in dict.fromkeys(p for s in search.relevant(name, scene.line) for p in paths_in(s.value)):
        module = scene.value(path)
        if not isinstance(module, Module):
            continue
        frozen = [n for n, p in module.named_parameters() if not p.requires_grad]
        others = [n for n, p in module.named_parameters() if p.requires_grad]
        if frozen and others:
            return Answer.of(
                "switched off: partly frozen", place, name=name, count=len(frozen), path=path,
                others=_some_of(others), frozen_names=_some_of(frozen)
            )
    return None


def _frozen_outside(name: str, raised: Raised, search: Search, cut: str) -> Answer | None:
    """Return the answer that a module is frozen whole which takes what was cut off on purpose."""
    scene = raised.scene
    assert scene is not None  # the caller has looked
    place = raised.freezing()
    stepped = _stepped_next(scene)
    if place is None or stepped is None or any(p.requires_grad for p in stepped):
        return None
    inside = set(paths_in(ast.parse(cut, mode="eval")))
    for path in dict.fromkeys(p for s in search.relevant(name, scene.line) for p in paths_in(s.value)):
        module = scene.value(path)
        if path in inside or not isinstance(module, Module) or next(module.parameters(), None) is None:
            continue
        if not any(p.requires_grad for p in module.parameters()):
            return Answer.of("switched off: frozen outside", place, name=name, path=path)
    return None


def _stepped_next(scene: Scene) -> list[Any] | None:
    """Return the parameters of the optimizer that the program steps next after a line."""
    calls = [
        call for call, _ in scene.scope.calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "step" and call.lineno >= scene.line
    ]  # fmt: skip
    for call in sorted(calls, key=lambda call: call.lineno):
        groups = getattr(scene.value(ast.unparse(call.func).removesuffix(".step")), "param_groups", None)
        if groups is not None:
            return [p for group in groups for p in group["params"]]
    return None


def _some_of(names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(f"`{name}`" for name in names[:3]) + more


def has_tensor(value: Any) -> bool:
    """Return whether a value is or holds a tensor."""
    return next(tensors_in(value), None) is not None


def unused(error: BaseException, raised: Raised) -> Answer:
    """Judge an input of `autograd.grad` that the outputs do not depend on."""
    scene = raised.scene
    x = getattr(error, "blame", None)
    if scene is None or not scene.scope or x is None:
        return plain(error, raised)
    name = scene.name_of(x) or "the input"
    names = raised.names_at()
    search = Search(scene, carrier_of(x, scene.tensors()))
    for output in names:
        made = scene.scope.assigning(name, scene.line)
        lines = [s.line for s in scene.scope.assigning(output, scene.line)]
        if lines and any(s.line < lines[-1] for s in made) and made[-1].line > lines[-1]:
            return Answer.of(
                "replaced leaf: after the output", made[-1].place, name=name, output=output
            )
        found = search.cut(output, scene.line)
        if found is not None:
            cut, evidence = found
            return cut.answer(f"The way from {name} to {output} is cut", evidence)
    beside = _beside(name, names, scene)
    if beside is not None:
        return beside
    return Answer.of("not reached: output", raised.place, names=", ".join(names) or "the output", name=name)


def _beside(name: str, outputs: list[str], scene: Scene) -> Answer | None:
    """Return the answer that an input and the output were both computed from one tensor, each by itself."""
    for statement in reversed(scene.scope.assigning(name, scene.line)):
        parents = [p for p in paths_in(statement.value) if p != name and p not in outputs]
        for parent in parents:
            value = scene.value(parent)
            if not isinstance(value, TensorBase) or value._node is None:
                continue
            carries = carrier_of(value, scene.tensors())
            output = next((path for path in outputs if carries(scene.value(path))), None)
            if output is not None:
                return Answer.of(
                    "not reached: beside", statement.place, name=name, output=output, parent=parent
                )
    return None
