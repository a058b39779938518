"""Answer `why_nan`: the first value or covector that is not finite, and the op that made it."""

import sys
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.blame import Place, is_freed, user_frame
from ..core.node import LEAF, AccumulateGrad, Node, edge_target
from ..core.value import TensorBase
from .answer import ASK_AGAIN, Answer, kept_answer
from .counterfactual import nudged
from .cuts import carrier_of
from .finite import counted, has_nan, is_finite
from .flow import Flow, Visit, leading_to
from .patterns import UNKNOWN, Pattern, applying, patterns, unused
from .roots import Root, root_of
from .scene import Scene, paths_in
from .sentences import op_of
from .source import changed_at, place_of

#: Ops that leave elements of what they are given out.
CHOOSING = {
    "`where`", "`masked_fill`", "`index`", "`masked_select`", "`masked_scatter`", "`triu`", "`tril`",
    "`slice`", "`select`", "`gather`", "`index_select`", "`nan_to_num`",
}  # fmt: skip


def why_nan(t: Any, loss: Any = None) -> Answer:
    """Say where a nan or an infinity came from.

    Parameters
    ----------
    t : tensor
        A loss or another value that is not finite, or a leaf whose gradient is not.
    loss : tensor, optional
        Of a leaf: what `backward` was called on; otherwise the last call of it before this line says so.

    Returns
    -------
    Answer
        The first value on the way forward, or the first covector on the way back, that is not finite while
        all that it was computed from is. It is certain where the op gives finite numbers once its inputs are
        moved a little away; for that they must be known: before `backward` has freed them, after
        ``backward(retain_graph=True)``, or where they follow from what is left.
    """
    if not isinstance(t, TensorBase):
        raise TypeError(f"why_nan: expected a tensor, got {type(t).__name__}")
    scene = Scene(user_frame(sys._getframe(1)))
    name = scene.name_of(t) or "the tensor"
    known = kept_answer(t)
    if known is not None:
        return known
    spoilt = t._node is LEAF and t._grad is not None and not is_finite(t._grad)
    if not is_finite(t) and not spoilt:
        return of_value(t, name, scene)
    root = root_of(loss, scene)
    if t._grad is None or is_finite(t._grad):
        return _of_finite(t, name, root, scene)
    if root is None and not is_finite(t):
        return of_value(t, name, scene)
    if root is None:
        return Answer.of("no graph: nan", name=name)
    if not is_finite(root.loss):
        return of_value(root.loss, scene.name_of(root.loss) or "the loss", scene)
    if not is_finite(root.covector) and root.call is not None:
        return Answer.of("covector not finite", scene.scope.place(root.call))
    return of_gradient(t, name, root, scene)


def _of_finite(t: Any, name: str, root: Root | None, scene: Scene) -> Answer:
    """Return that a tensor and its gradient are finite, and where a loss that was computed from it is not."""
    finite = Answer.of("finite", name=name, grad="" if t._grad is None else " and so is its gradient")
    if root is None or is_finite(root.loss) or not carrier_of(t, iter((root.loss,)))(root.loss):
        return finite
    loss = scene.name_of(root.loss) or "the loss"
    answer = of_value(root.loss, loss, scene)
    return replace(answer, cause=f"{finite.cause[:-1]}, but {loss} is not. {answer.cause}")


def of_value(t: Any, name: str, scene: Scene) -> Answer:
    """Return where a value that is not finite came from, by its graph."""
    if t._node is None or t._node is LEAF:
        told = "not recorded" if t._node is None else "leaf not finite: without history"
        return Answer.of(told, _written(t, name, scene), _gradient_of(t, name), name=name)
    flow = Flow([t._node], scene.tensors())
    of_nan = has_nan(t)
    unsure = flow.assumed
    for node in reversed(flow.nodes):
        if isinstance(node, AccumulateGrad):
            if not is_finite(node.variable):
                return _of_leaf(node, scene)
            continue
        out = flow.output_of(node)
        if out is None:
            unsure = unsure or (node._op is not None and node._op.base in patterns())
        elif has_nan(out) if of_nan else not is_finite(out):
            origin = _origin(flow, node)
            data = _data_of(name, scene) if any(v is None for v in flow.inputs_of(origin)) else None
            return data or _of_node(flow, origin, unsure)
    return _suspect(flow, name, "forward")


def _data_of(name: str, scene: Scene) -> Answer | None:
    """Return that data has NaN which a value was computed from, as the program's variables still show."""
    behind = scene.scope.behind(name, scene.line)
    for path in dict.fromkeys(path for s in behind for path in paths_in(s.value)):
        x = scene.value(path)
        if isinstance(x, TensorBase) and x._node is None and has_nan(x):
            return Answer.of("not recorded", _written(x, path, scene), (counted(x),), name=path)
    return None


def _origin(flow: Flow, node: Node) -> Node:
    """Find the node that made the infinities of which another made nan: itself where they are a mask's."""
    if _pattern(node, flow.inputs_of(node), flow.output_of(node)).kind == "softmax of nothing":
        return node
    first = node
    while True:
        found = None
        for edge in first._edges:
            if edge is None:
                continue
            maker = edge_target(edge)[0]
            out = flow.output_of(maker)
            if out is not None and not is_finite(out) and not isinstance(maker, AccumulateGrad):
                found = maker
        if found is None:
            break
        first = found
    known = _pattern(first, flow.inputs_of(first), flow.output_of(first))
    unproven = known.kind == "overflow" and any(v is None for v in flow.inputs_of(first))
    return node if known is UNKNOWN or unproven else first


def _of_node(flow: Flow, node: Node, unsure: bool) -> Answer:
    """Return the answer that a value became nan or infinite in a node."""
    inputs = flow.inputs_of(node)
    out = flow.output_of(node)
    bad = [k for k, v in enumerate(inputs) if v is not None and not is_finite(v)]
    pattern = _pattern(node, inputs, out)
    constant = [k for k in bad if node._edges[k] is None]
    if constant and (pattern is UNKNOWN or node._op.name in ("add", "mul", "sub")):
        return Answer.of("data not finite: into an op", place_of(node), node=op_of(node))
    evidence = [f"the result of {op_of(node)} has {counted(out)}"]
    missing = any(v is None for v in inputs)
    if missing and pattern.kind == "overflow":
        pattern = UNKNOWN  # infinities of the input would do the same
    where = f"It happens forward, in {op_of(node)}."
    if missing and pattern is UNKNOWN:
        where = f"It happens forward, in {op_of(node)} or in what goes into it."
        pattern = replace(pattern, mend=f"{pattern.mend}, which backward may have freed: {ASK_AGAIN}")
    if not bad and not missing:
        evidence.append("what goes into it is finite")
    masked = pattern.kind == "softmax of nothing"
    sure = not unsure and (masked or not bad)
    return Answer(
        pattern.kind, f"{pattern.cause} {where}", place_of(node), tuple(evidence), pattern.mend,
        _checked_forward(flow, node) if sure else "",
    )  # fmt: skip


def _checked_forward(flow: Flow, node: Node) -> str:
    """Return that what is asked about is finite once an op's inputs are moved; empty where it is not."""
    value = flow.tried(node, nudged)
    root = None if value is None or not is_finite(value) else flow.result_with(node, value)
    if root is None or not is_finite(root):
        return ""
    return "with its input moved away from there, the result is finite"


def _checked_back(name: str, leaf: Node, flow: Flow, root: Root) -> tuple[str, list[Place]]:
    """Return that a gradient is finite once inputs are moved, or ""; and the lines of these ops."""
    visits = flow.pull([root.covector], moved=nudged)
    leading = leading_to(flow.nodes, leaf)
    places = [place_of(v.node) for v in visits if v.mended and v.node in leading]
    lines = {(place.file, place.line): place for place in reversed(places) if place is not None}
    found = [v.incoming for v in visits if v.node is leaf]
    if not found or not all(map(is_finite, found)) or not lines:
        return "", []
    return f"with its input moved away from there, the gradient of {name} is finite", list(lines.values())


def _of_leaf(node: AccumulateGrad, scene: Scene) -> Answer:
    leaf = node.variable
    name = scene.name_of(leaf) or "a leaf"
    place, seen = _written(leaf, name, scene), _gradient_of(leaf, name)
    return Answer.of("leaf not finite", place, seen, name=name, leaf=counted(leaf))


def _written(t: Any, name: str, scene: Scene) -> Place | None:
    """Find where a tensor without history got its values: the last write to it, or the line that made it."""
    return changed_at(t) or scene.made(name, scene.line)


def _gradient_of(t: Any, name: str) -> tuple[str, ...]:
    return () if t._grad is None or is_finite(t._grad) else (f"{name}.grad is not finite, either",)


def _pattern(node: Node, inputs: list[Any], out: Any) -> Pattern:
    return next(applying("" if node._op is None else node._op.base, inputs, out), UNKNOWN)


def of_gradient(leaf: Any, name: str, root: Root, scene: Scene) -> Answer:
    """Return where the gradient of a leaf stopped being finite on its way back from a finite loss."""
    flow = Flow([root.loss._node], scene.tensors())
    end = next((n for n in flow.nodes if isinstance(n, AccumulateGrad) and n.variable is leaf), None)
    if end is None:
        return Answer.of("not reached: by the loss", name=name)
    leading = leading_to(flow.nodes, end)
    first: Visit | None = None
    for visit in flow.pull([root.covector]):
        if all(map(is_finite, visit.covectors)) and any(
            not is_finite(g) for edge, g in visit.sent if edge_target(edge)[0] in leading
        ):
            first = visit
            break
    if first is None:
        return _suspect(flow, f"{name}.grad", "backward")
    node = first.node
    inputs, out = flow.inputs_of(node), flow.output_of(node)
    pattern = _pattern(node, inputs, out)
    bad = next(g for _, g in first.sent if not is_finite(g))
    evidence = [
        (f"the covector that arrives at {op_of(node)} is finite, the one it sends on has {counted(bad)}")
    ]
    cause, mend = f"{pattern.cause} It happens on the way back, in {op_of(node)}.", pattern.mend
    if _masked(first):
        evidence.append("the covector is 0 there, and 0 · inf is NaN")
        after = leading_to(flow.nodes, node)
        choosing = next((n for n in reversed(flow.nodes) if n in after and op_of(n) in CHOOSING), None)
        if choosing is not None:
            at = place_of(choosing)
            told, mend = unused(op_of(choosing).strip("`"), "" if at is None else f" at line {at.line}", mend)
            cause = f"{cause} {told}"
    place = place_of(node)
    checked: str = ""
    if not flow.stuck and root.known and not flow.assumed:
        checked, lines = _checked_back(name, end, flow, root)
        others = [p.line for p in lines if place is None or (p.file, p.line) != (place.file, place.line)]
        if others:
            listed = ", ".join(map(str, others))
            cause = f"{cause} So it is at line {listed}, too."
            checked = checked.replace("from there", f"from there and at line {listed}")
    return Answer(
        pattern.kind, cause, place, tuple(evidence), mend, checked,
    )  # fmt: skip


def _masked(visit: Visit) -> bool:
    """Return whether what is not finite was sent for elements whose covector is 0."""
    (g, *_), (sent, *_) = visit.covectors, [np.asarray(s) for _, s in visit.sent if not is_finite(s)]
    return g.shape == sent.shape and bool(np.any((g == 0) & ~np.isfinite(sent)))


def _suspect(flow: Flow, name: str, way: str) -> Answer:
    """Return how to ask again: the values that would tell are gone."""
    freed = any(is_freed(node._saved) for node in flow.nodes if isinstance(node._saved, tuple))
    seen = ("backward has freed the values",) if freed else ()
    return Answer.of("values are gone: not finite", None, seen, name=name, way=way, ASK_AGAIN=ASK_AGAIN)
