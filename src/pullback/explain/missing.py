"""Answer `why_none`: why a tensor has no `.grad`."""

import ast
import re
import sys
from collections import defaultdict
from typing import Any

from ..core.blame import Place, freed_at, is_freed, user_frame
from ..core.node import DIFFERENTIABLE, LEAF, AccumulateGrad, Node, edge_target
from ..core.value import TensorBase, dtype_of
from ..nn.modules.module import Module
from .answer import Answer
from .cuts import Search, carrier_of, cuts_in, has_history
from .roots import last_backward, receiver_of
from .scene import Scene, Statement, paths_in, returning, tensors_in
from .source import place_of
from .walk import nodes_of, reachable


def why_none(x: Any, loss: Any = None) -> Answer:
    """Say why ``x.grad`` is None.

    Parameters
    ----------
    x : tensor
    loss : tensor, optional
        What `backward` was called on; otherwise the last call of it before this line says so.

    Returns
    -------
    Answer
        `certain` where the graph and the values of the program's variables leave no other cause; a line
        inside a function that has returned is only ever the likeliest one.
    """
    if not isinstance(x, TensorBase):
        raise TypeError(f"why_none: expected a tensor, got {type(x).__name__}")
    return why_none_in(Scene(user_frame(sys._getframe(1))), x, None, loss)


def why_none_in(scene: Scene, x: Any, name: str | None = None, loss: Any = None) -> Answer:
    """Say why ``x.grad`` is None, as asked at a place of the program."""
    name = scene.name_of(x) or name or "the tensor"
    if x._grad is not None:
        return Answer.of("has a gradient", name=name)
    if x._node is not None and x._node is not LEAF:
        return _of_result(x, name, scene)
    if x._node is None:
        return _without_requires_grad(x, name, scene)
    return _of_leaf(x, name, scene, loss)


def _of_result(x: Any, name: str, scene: Scene) -> Answer:
    place = place_of(x)
    node = edge_target(x._node)[0]
    if x._retained:
        return Answer.of("not reached: retained", place, name=name)
    maker = type(node).__name__
    seen = (f"{name}.is_leaf is False: {name}.grad_fn is {maker}",)
    statement = _statement_at(scene, place)
    replaced = any(type(n) is AccumulateGrad and scene.name_of(n.variable) is None for n in reachable([node]))
    again = statement is not None and name in statement.targets and name in paths_in(statement.value)
    if again and replaced and statement is not None:
        update = isinstance(statement.value, ast.BinOp)
        return Answer.of(
            "replaced leaf: by a result" if update else "replaced leaf: by another form", place,
            (*seen, "the line assigns a name that it reads, and no variable holds the leaf any more"),
            name=name
        )
    if place is not None and ".grad" in place.code:
        return Answer.of("replaced leaf: by an update", place, seen, name=name, maker=maker)
    made_here = statement is not None and "requires_grad" in ast.unparse(statement.value)
    mend = (
        f"make the leaf last: `{name} = (…).detach().requires_grad_()` or "
        f"`.requires_grad_()` after the other calls on the line"
        if made_here
        else f"call {_method(name, 'retain_grad')} before `backward`, or look at the leaves that it was "
        "computed from"
    )
    return Answer(
        "not retained", f"{name} is the result of an op ({maker}), not a leaf: only leaves keep `.grad`.",
        place, seen, mend,
    )  # fmt: skip


def _method(name: str, method: str) -> str:
    """Return a call of a method as it is written, where the tensor has a name."""
    return f"`{method}()` on it" if " " in name else f"`{name}.{method}()`"


def _statement_at(scene: Scene, place: Place | None) -> Statement | None:
    if place is None or place.file != scene.scope.file:
        return None
    around = (s for s in scene.scope.statements if s.line <= place.line <= (s.node.end_lineno or s.line))
    return next(around, None)


def _without_requires_grad(x: Any, name: str, scene: Scene) -> Answer:
    scope = scene.scope
    made = scope.assigning(name, scene.line)
    seen = (f"{name}.requires_grad is False",)
    if dtype_of(x) not in DIFFERENTIABLE:
        return Answer.of("integer", scene.made(name, scene.line), seen, name=name, x=x)
    switched = switched_off(name, scene)
    if switched is not None:
        return Answer.of("switched off: here", switched, seen, name=name)
    if made:
        statement = made[-1]
        inputs = [p for p in paths_in(statement.value) if has_history(scene.value(p))]
        again = name in paths_in(statement.value)
        found = list(cuts_in(statement.value, scope, statement.unrecorded))
        if statement.unrecorded and again:
            return Answer.of("replaced leaf: under no_grad", statement.place, seen, name=name)
        if found and (inputs or again):
            cut = found[0]
            evidence = (*seen, *(f"`{p}` requires grad" for p in inputs[:1]))
            return cut.answer(f"{name} was made without history", evidence)
    computed = bool(made) and any(
        next(tensors_in(scene.value(path)), None) is not None for path in paths_in(made[-1].value)
    )
    told = "does not require grad: computed" if computed else "does not require grad: made"
    return Answer.of(told, scene.made(name, scene.line), seen, name=name)


def _setting(name: str, flag: bool, scene: Scene) -> list[int]:
    """Return lines that switch requires_grad of a name (or of a module's or loop's parameters) on or off."""
    scope = scene.scope
    owners = {name, _owner(name)}
    for statement in scope.statements:
        if isinstance(statement.node, ast.For) and owners & set(paths_in(statement.value)):
            owners |= set(statement.targets)
    lines = []
    for statement in scope.statements:
        for target in statement.targets:
            owner, _, last = target.rpartition(".")
            to = getattr(statement.value, "value", None)
            if last == "requires_grad" and owner in owners and to is flag:
                lines.append(statement.line)
    for call, _ in scope.calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "requires_grad_":
            on = not call.args or getattr(call.args[0], "value", None) is True
            if on is flag and ast.unparse(call.func.value) in owners:
                lines.append(call.func.end_lineno or call.lineno)
    return sorted(line for line in lines if line <= scene.line)


def switched_off(name: str, scene: Scene) -> Place | None:
    """Return the last line that sets requires_grad of a tensor, or of a module's parameters, to False."""
    lines = _setting(name, False, scene)
    return scene.scope.place_of_line(lines[-1]) if lines else None


def _of_leaf(x: Any, name: str, scene: Scene, loss: Any) -> Answer:
    scope = scene.scope
    call = last_backward(scene)
    loss_name = None if loss is None else scene.name_of(loss)
    if loss is None and call is not None:
        loss_name = receiver_of(call, scene)
        loss = scene.value(loss_name) if loss_name else None
    roots = [loss] if isinstance(loss, TensorBase) else list(scene.tensors())
    nodes = reachable(nodes_of(roots))
    used = [node for node in nodes if getattr(node, "variable", None) is x]
    if used and isinstance(loss, TensorBase):
        return _reached(x, name, scene, nodes, call, loss_name)
    if used and call is None:
        return Answer.of("no backward: not called", place_of(nodes[0]), name=name)
    carries, owner = carrier_of(x, scene.tensors()), scene.made(_owner(name), scene.line)
    seen = [f"{name} is a leaf that requires grad"]
    if loss_name:
        seen.append(f"{loss_name} does not lead back to {name}")
    before = call.lineno if call is not None else scene.line
    if scope and loss_name:
        search = Search(scene, carries)
        loss_lines = [s.line for s in scope.assigning(loss_name, before)]
        late = _late(name, search, loss_name, before, scene)
        if late is not None:
            return late
        made = [s for s in scope.assigning(name, scene.line) if not isinstance(s.node, ast.Expr)]
        older = [s for s in made if loss_lines and s.line < loss_lines[-1]]
        if older and made[-1].line > loss_lines[-1]:
            return Answer.of(
                "replaced leaf: after the loss", made[-1].place, tuple(seen), name=name, loss_name=loss_name
            )
        found = search.cut(loss_name, before) or search.written(loss_name, before)
        if found is not None:
            cut, evidence = found
            return cut.answer(f"The way from {name} to {loss_name} is cut", (*seen, *evidence))
        uses = [s for s in search.relevant(loss_name, before) if _reads(s, name, scene, x)]
        if not uses:
            return Answer.of(
                "not reached: not used", scene.made(name, scene.line) or owner, tuple(seen),
                loss_name=loss_name, name=name
            )
    return Answer.of("not reached: no graph is alive", owner, tuple(seen), name=name)


def _owner(name: str) -> str:
    """Return the variable in the name of a member."""
    return re.split(r"[.\[]", name, maxsplit=1)[0]


def _reads(statement: Statement, name: str, scene: Scene, x: Any) -> bool:
    for path in paths_in(statement.value):
        value = scene.value(path)
        if path == name or value is x:
            return True
        if isinstance(value, Module) and any(p is x for p in value.parameters()):
            return True
    return False


def _reached(
    x: Any, name: str, scene: Scene, nodes: list[Node], call: ast.Call | None, loss_name: str | None
) -> Answer:
    scope = scene.scope
    seen = [f"{loss_name or 'the loss'} leads back to {name}"]
    where = next((freed_at(n._saved) for n in nodes if is_freed(n._saved)), None)
    if call is not None and scope:
        inputs = next((k.value for k in call.keywords if k.arg == "inputs"), None)
        if inputs is not None:
            return Answer.of(
                "inputs of backward", scope.place(call), tuple(seen), inputs=ast.unparse(inputs), name=name
            )
        clearing = [
            c
            for c, _ in scope.calls
            if isinstance(c.func, ast.Attribute)
            and c.func.attr == "zero_grad"
            and call.lineno <= c.lineno <= scene.line
        ]
        clearing_lines = [c.lineno for c in clearing]
        clearing_lines += [
            s.line for s in scope.statements
            if f"{name}.grad" in s.targets and call.lineno <= s.line <= scene.line
        ]  # fmt: skip
        if clearing_lines:
            line = max(clearing_lines)
            return Answer.of(
                "cleared", scope.place_of_line(line),
                (*seen, *([f"backward ran at {where}"] if where is not None else [])), name=name
            )
    if where is None:
        return Answer.of(
            "no backward: not yet", place_of(nodes[0]) if nodes else None, tuple(seen),
            loss=loss_name or "The loss", name=name
        )
    ending = None if call is None else _custom_between(x, nodes)
    if ending is not None:
        place = returning(getattr(ending.backward, "__code__", None))
        return Answer.of(
            "custom function: no gradient", place, tuple(seen), name=name, made=ending.__name__
        )
    return Answer.of("not accumulated", where, tuple(seen), name=name)


def _custom_between(x: Any, nodes: list[Node]) -> Any:
    """Return the custom function next to a leaf that all ways from a loss to it go through; None without."""
    users = defaultdict[Any, list[Node]](list)
    for node in nodes:
        for edge in node._edges:
            if edge is not None:
                users[edge_target(edge)[0]].append(node)
    leaf = next(node for node in nodes if getattr(node, "variable", None) is x)
    waiting, seen, found = [leaf], {leaf}, None
    while waiting:
        target = waiting.pop()
        if target not in users:
            return None
        for user in users[target]:
            own = getattr(user, "_forward_cls", None)
            found = found or own
            if own is None and user not in seen:
                seen.add(user)
                waiting.append(user)
    return found


def _late(name: str, search: Search, loss_name: str, before: int, scene: Scene) -> Answer | None:
    """Return whether requires_grad was switched on only after the value was used."""
    on = _setting(name, True, scene)
    if not on:
        return None
    uses = [s for s in search.relevant(loss_name, before) if name in paths_in(s.value) and s.line < on[-1]]
    # What was used is the tensor that was switched on later, and none that the name had before.
    made = [
        s for s in scene.scope.assigning(name, scene.line)
        if uses and s.line > uses[-1].line and not isinstance(s.node, ast.Expr)
    ]  # fmt: skip
    if not uses or made:
        return None
    if any(name in paths_in(s.value) and s.line > on[-1] for s in search.relevant(loss_name, before)):
        return None
    return Answer.of(
        "required too late", scene.scope.place_of_line(on[-1]), name=name, use=uses[0].place
    )
