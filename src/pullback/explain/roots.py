"""Find where a backward began: the call as it is written, its tensor and its covector."""

import ast
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.node import edge_target
from ..core.value import TensorBase, innermost, shape_of
from .scene import Scene, paths_in, tensors_in
from .walk import node_of, results_of


@dataclass(frozen=True)
class Root:
    """Hold what a question about a gradient starts from.

    `covector` has the loss's shape; `known` is whether it is what `backward` was given, otherwise it is a
    guess, 1 everywhere. `call` is the call of `backward`, where it is written in the scene.
    """

    loss: Any
    covector: ndarray
    known: bool
    call: ast.Call | None


def root_of(loss: Any, scene: Scene) -> Root | None:
    """Return the root: the loss that was given, else that of the last backward, else the youngest result."""
    call = last_backward(scene)
    name = None if call is None else receiver_of(call, scene)
    called = scene.value(name) if name else None
    if loss is None:
        recorded = isinstance(called, TensorBase) and called._node is not None
        loss = called if recorded else youngest_root(scene)
    if loss is None or node_of(loss) is None:
        return None
    ones = ones_for(loss._node)
    if call is None or called is not loss:
        return Root(loss, ones, True, None)
    given = next((k.value for k in call.keywords if k.arg == "gradient"), call.args[0] if call.args else None)
    if given is None:
        return Root(loss, ones, True, call)
    value = scene.value(ast.unparse(given))
    if not isinstance(value, TensorBase):
        return Root(loss, ones, False, call)
    covector = np.asarray(innermost(value))
    while covector.ndim > len(shape_of(loss)):
        covector = covector.sum(0)
    same = covector.shape == shape_of(loss)
    return Root(loss, covector.astype(ones.dtype) if same else ones, same, call)


def last_backward(scene: Scene) -> ast.Call | None:
    """Return the last call of `backward` that is written before the line of a scene."""
    calls = [
        call
        for call, _ in scene.scope.calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "backward" and call.lineno <= scene.line
    ]
    return max(calls, key=lambda call: call.lineno, default=None)


def receiver_of(call: ast.Call, scene: Scene) -> str | None:
    """Return the name that backward is called on: of ``loss.sum().backward()`` and the like `loss`."""
    assert isinstance(call.func, ast.Attribute)
    owner: ast.expr = call.func.value
    if ast.unparse(owner).endswith("autograd") and call.args:
        owner = call.args[0]
    names = paths_in(owner)
    known = [p for p in names if next(tensors_in(scene.value(p)), None) is not None]
    left = [p for p in names if isinstance(scene.value(p), (ndarray, np.generic))]
    return next(iter((*known, *left, *names)), None)


def youngest_root(scene: Scene) -> Any:
    """Return the youngest result among a frame's variables."""
    roots = [(node, t) for t in scene.tensors() if (node := node_of(t)) is not None]
    return max(roots, key=lambda root: root[0]._seq, default=(None, None))[1]


def ones_for(edge: Any) -> ndarray:
    """Return the covector that backward starts with where none is given."""
    node, index = edge_target(edge)
    return np.ones(*results_of(node)[index])
