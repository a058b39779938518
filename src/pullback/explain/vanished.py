"""Answer `why_zero`: where a gradient became zero."""

import sys
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from ..core.blame import is_freed, user_frame
from ..core.node import LEAF, AccumulateGrad, Node, edge_target
from ..core.value import TensorBase, innermost
from .answer import ASK_AGAIN, Answer, kept_answer, kind_of, texts
from .flow import Flow, Visit, leading_to
from .roots import Root, root_of
from .scene import Scene
from .sentences import op_of
from .source import place_of
from .walk import reachable


class Cause(NamedTuple):
    """Say why an op sends no covector on."""

    kind: str
    cause: str
    mend: str


#: Ops whose derivative is zero whatever the values are.
STEPS = {
    "ceil", "div_floor", "floor", "heaviside", "round", "round_decimals", "sgn", "sign", "trunc",
    "zeros_of",
}  # fmt: skip


@cache
def causes() -> dict[str, Cause]:
    """Return what is known of each op, of `answers.toml`."""
    return {op: _told(name) for name, text in texts().items() for op in text.flat}


def _told(name: str) -> Cause:
    text = texts()[name]
    return Cause(kind_of(name), text.cause, text.mend)


#: Ops that take a part of a tensor.
SELECTIONS = {
    "index", "embedding", "select", "slice", "gather", "index_select", "pick", "masked_select", "topk",
    "max_pool_2d", "max_pool_3d", "max", "max_all", "min", "min_all", "median", "median_all", "mode",
    "kthvalue", "aminmax",
}  # fmt: skip

#: Products of two factors, and the nodes of slopes that are 0 nearly everywhere themselves.
PRODUCTS = {"linear", "mm", "bmm", "matmul", "mul"}
STRAIGHT = {"ThresholdBackwardBackward0", "LeakyReluBackwardBackward0"}

#: Below this, of the covector that came in, what a rule sends is rounding noise.
NOISE = 1e-6


def is_flat(op: str, values: list[Any], out: ndarray | None) -> bool:
    """Return whether the values of an op, as far as they are known, are where its derivative is 0."""
    inputs = [None if v is None else np.asarray(v) for v in values]
    x = inputs[0] if inputs else None
    if op == "relu":
        return out is not None and not np.any(out > 0)
    if op in ("sigmoid", "softmax") and out is not None:
        return float(np.abs(out * (1 - out)).max()) <= NOISE
    if op == "tanh" and out is not None:
        return float(np.abs(1 - out * out).max()) <= NOISE
    if op in ("pow_scalar", "integer_pow", "abs") and x is not None:
        return not np.any(x)
    if op in ("mul", "mm", "matmul") and len(inputs) == 2:
        return any(v is not None and not np.any(v) for v in inputs)
    if op.startswith("clamp") and x is not None and out is not None:
        return not np.any(x == out)
    return False


#: The kind of a gradient that is 0 because a weight starts at 0 and will leave it.
STARTS = "starts at 0"

#: Ops that draw.
DRAWS = {
    "normal_each", "normal_around", "normal_wide", "bernoulli", "bernoulli_each", "poisson", "exponential",
}  # fmt: skip


def why_zero(x: Any, loss: Any = None) -> Answer:
    """Say where the gradient of a leaf became zero.

    Parameters
    ----------
    x : tensor
        A leaf whose `.grad` is zero, or zero in places.
    loss : tensor, optional
        What `backward` was called on; otherwise the last call of it before this line says so.

    Returns
    -------
    Answer
        The op at which a covector that was not zero came to nothing. It is certain where the leaf gets a
        gradient once that op hands its covector on.
    """
    if not isinstance(x, TensorBase):
        raise TypeError(f"why_zero: expected a tensor, got {type(x).__name__}")
    scene = Scene(user_frame(sys._getframe(1)))
    name = scene.name_of(x) or "the tensor"
    grad = None if x._grad is None else np.asarray(innermost(x._grad))
    if grad is None and x._node is not LEAF:
        return Answer.of("no gradient", name=name)
    if grad is not None and np.all(np.abs(grad) > NOISE):
        return Answer.of("not zero", name=name)
    known = kept_answer(x)
    if known is not None:
        return known
    root = root_of(loss, scene)
    if root is None:
        return Answer.of("no graph: zero", name=name)
    if not np.any(root.covector) and root.call is not None:
        return Answer.of("covector of zeros", scene.scope.place(root.call))
    return search(x, name, root, grad, scene)


def search(x: Any, name: str, root: Root, grad: ndarray | None, scene: Scene) -> Answer:
    """Return where the gradient of a leaf became zero on its way back from a loss."""
    flow = Flow([root.loss._node], scene.tensors())
    visits = flow.pull([root.covector])
    leaf = next((n for n in flow.nodes if isinstance(n, AccumulateGrad) and n.variable is x), None)
    if leaf is None:
        return Answer.of("not reached: by the loss", name=name)
    leading = leading_to(flow.nodes, leaf)
    partial = grad is not None and bool(np.any(np.abs(grad) > NOISE))
    ends: list[tuple[Visit, Node]] = []
    arriving: dict[Node, list[tuple[Visit, Any]]] = {}
    for visit in visits:
        for edge, g in visit.sent:
            target = edge_target(edge)[0]
            if target in leading or target is leaf:
                arriving.setdefault(target, []).append((visit, g))
                if not _some(g, visit) and any(np.any(v != 0) for v in visit.covectors):
                    ends.append((visit, target))
    if partial and grad is not None:
        return _partial(name, leaf, np.abs(grad) <= NOISE, arriving, flow)
    cancelled = [n for n, parts in arriving.items() if _cancels(parts)]
    nearest = _nearest(leaf, arriving, ends)
    if cancelled and not nearest:
        node = min(cancelled, key=lambda n: n._seq)
        ways = [place_of(visit.node) for visit, _ in arriving[node]]
        return Answer.of(
            "cancelled: sums to 0", ways[0],
            tuple(f"one way: {place}" for place in dict.fromkeys(ways) if place is not None), name=name
        )
    ends = nearest or ends
    if not ends:
        return _suspect(name, flow, leading)
    lines = len({(at.file, at.line) for visit, _ in ends if (at := place_of(visit.node)) is not None})
    visit, target = ends[0]
    known = _told("underflow") if _underflows(visit, target, flow) else _other_factor(visit.node, target)
    kind, cause, mend = known or _cause(visit.node)
    if kind == "multiplied by 0" and all(_starts(v, leading) for v, _ in ends):
        return Answer.of(STARTS, place_of(visit.node), cause=cause)
    sure = root.known and not flow.assumed and not any(node in leading for node in flow.stuck)
    seen = [f"a covector that is not 0 arrives at {op_of(visit.node)}, and 0 goes on to {name}"]
    if lines > 1:
        seen += [f"and so it does at {place_of(v.node)}" for v, _ in ends[1:]]
    return Answer(
        kind, cause, place_of(visit.node), tuple(seen), mend,
        _passed_on(name, leaf, flow, root, [v.node for v, _ in ends]) if lines == 1 and sure else "",
    )  # fmt: skip


def _nearest(
    leaf: Node, arriving: dict[Node, list[tuple[Visit, Any]]], ends: list[tuple[Visit, Node]]
) -> list[tuple[Visit, Node]]:
    """Return the ends that a walk up from a leaf meets first, through nodes at which nothing arrives.

    Other ends are on ways that meet a covector from elsewhere before they come to the leaf.
    """
    stops = {(id(visit), target) for visit, target in ends}
    found, seen, waiting = [], {leaf}, [leaf]
    while waiting:
        target = waiting.pop()
        for visit, _ in arriving.get(target, ()):
            if (id(visit), target) in stops:
                found.append((visit, target))
            elif visit.node not in seen and all(np.all(np.abs(c) <= NOISE) for c in visit.covectors):
                seen.add(visit.node)
                waiting.append(visit.node)
    return found


def _starts(visit: Visit, leading: set[Node]) -> bool:
    """Return whether the other factor of a product, which is 0, is trained and gets a gradient."""
    op = visit.node._op
    # The bias of a layer is no factor.
    bias = visit.node._edges[0] if op is not None and op.base == "addmm" else None
    for edge, g in visit.sent:
        target = edge_target(edge)[0]
        if target not in leading and edge is not bias and _some(g, visit):
            return any(type(node) is AccumulateGrad for node in reachable([target]))
    return False


def _passed_on(name: str, leaf: Node, flow: Flow, root: Root, ends: list[Node]) -> str:
    """Return what gradient a leaf gets where some nodes hand their covector on; empty where it gets none."""
    visits = flow.pull([root.covector], frozenset(ends))
    found = [np.asarray(v.incoming, dtype=np.float64) for v in visits if v.node is leaf]
    size = float(np.linalg.norm(sum(found))) if found else 0.0
    return f"with the covector handed on there, {name} gets a gradient of norm {size:.3g}" if size > 0 else ""


def _some(g: Any, visit: Visit) -> bool:
    """Return whether what a rule sent is more than the noise of what came in."""
    largest = max((float(np.abs(v).max()) for v in visit.covectors if v.size), default=0.0)
    array = np.abs(np.asarray(g))
    return bool(array.size) and float(array.max()) > NOISE * min(largest, 1.0) * 0.1


def _underflows(visit: Visit, target: Node, flow: Flow) -> bool:
    """Return whether a node would send something on to another one, were its covector not so small."""
    runnable, size = flow._runnable(visit.node), np.abs(np.asarray(visit.incoming)).max()
    if isinstance(visit.incoming, list) or runnable is None or not 0 < size < np.inf:
        return False
    with np.errstate(all="ignore"):
        sent = runnable.backward(visit.incoming / size)
    there = (gi for edge, gi in zip(visit.node._edges, sent) if edge and edge_target(edge)[0] is target)
    return any(gi is not None and np.abs(np.asarray(innermost(gi))).max(initial=0) > NOISE for gi in there)


def _cancels(parts: list[tuple[Visit, Any]]) -> bool:
    if len(parts) < 2 or not all(np.any(g != 0) for _, g in parts):
        return False
    total = sum(np.asarray(g, dtype=np.float64) for _, g in parts)
    largest = max(float(np.abs(g).max()) for _, g in parts)
    return float(np.abs(total).max()) <= NOISE * largest


def _other_factor(node: Node, target: Node) -> Cause | None:
    """Return the cause of a product's zeros where the other factor tells it; None where it does not."""
    if node._op is None or node._op.base not in PRODUCTS or len(node._edges) < 2:
        return None
    first, second = (None if edge is None else edge_target(edge)[0] for edge in node._edges[:2])
    other = first if second is target else second
    if type(other).__name__ in STRAIGHT:
        return _told("straight pieces")
    is_input = node._op.base == "linear" and second is target
    return _told("multiplied by 0: input of linear") if is_input else None


def _cause(node: Node) -> Cause:
    if node._op is None and hasattr(node, "_forward_cls"):
        returned = f"The `backward` of {op_of(node)} returned zeros."
        return Cause("own backward", returned, "compare it with differences: `torch.autograd.gradcheck`")
    if type(node).__name__ in STRAIGHT:
        return _told("straight pieces")
    op = "" if node._op is None else node._op.base
    if op in STEPS:
        mend = "use a smooth stand-in (tanh for sign), or pass straight through: `x + (f(x) - x).detach()`"
        return Cause(f"{op} has no slope", f"`{op}` is flat everywhere but at its jumps.", mend)
    if op in DRAWS:
        return Cause(
            "drawn", f"{op_of(node)} draws numbers: a sample has no derivative with respect to what it is "
            "drawn with.", "draw apart from the parameters (`mu + std * torch.randn_like(std)`, `rsample()`)",
        )  # fmt: skip
    other = f"The slope of {op_of(node)} is 0 at these values."
    return causes().get(op) or Cause("zero derivative", other, "look at the values that go into it")


def _partial(
    name: str, leaf: Node, mask: ndarray, arriving: dict[Node, list[tuple[Visit, Any]]], flow: Flow
) -> Answer:
    """Follow the zero elements up, as long as the tensors on the way have the leaf's shape."""
    def there(node: Node, how: str, seen: str) -> Answer:
        kind, cause, mend = _cause(node)
        whole = f"{int(mask.sum())} of {mask.size} elements of {name}.grad are 0. {how}: {cause}"
        return Answer(kind, whole, place_of(node), (seen,), mend)

    node = leaf
    while len(arriving.get(node, ())) == 1:
        visit, _ = arriving[node][0]
        covectors = visit.covectors
        same = len(covectors) == 1 and covectors[0].shape == mask.shape
        if same and not np.any(covectors[0][mask] != 0):
            node = visit.node
            continue
        return there(visit.node, "There", f"{op_of(visit.node)} sends 0 for these elements")
    for visits in arriving.values():
        for visit, g in visits:
            if np.all(np.asarray(g)) or not all(np.all(c) for c in visit.covectors) or not np.any(g):
                continue
            return there(visit.node, "Probably", f"{op_of(visit.node)} sends 0 for some elements")
    for node in flow.nodes:
        op = "" if node._op is None else node._op.base
        if op in SELECTIONS and any(e is not None and edge_target(e)[0] is leaf for e in node._edges):
            return there(node, "Probably", f"{op_of(node)} takes a part of {name}")
    return Answer.of("zero in places", count=int(mask.sum()), mask=mask, name=name)


def _suspect(name: str, flow: Flow, leading: set[Node]) -> Answer:
    """Return the op on the way that is flat whatever its values are, or else how to ask again."""
    ops = [n for n in flow.nodes if n in leading and n._op is not None]
    candidates = [n for n in ops if n._op.base in STEPS]
    flat = [n for n in ops if is_flat(n._op.base, flow.inputs_of(n), flow.output_of(n))]
    for node in candidates or flat:
        kind, cause, mend = _cause(node)
        return Answer(
            kind, cause, place_of(node),
            ("its slope is 0 at the values that are left",) if node in flat else (), mend,
        )  # fmt: skip
    seen = ("backward has freed the values",) if any(is_freed(n._saved) for n in ops) else ()
    return Answer.of("values are gone: zero", None, seen, name=name, ASK_AGAIN=ASK_AGAIN)
