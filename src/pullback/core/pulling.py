"""Pull back at nodes at which nothing arrived, or which are watched."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.deferred_import import import_later
from .blame import is_freed
from .modes import modes
from .node import MultiNode, Node
from .saved import check_versions, saved_errors
from .tracer import Tracer
from .underivable import Underivable
from .value import TensorBase

errors = import_later(".graph_errors", __package__)


def pulled_of_nothing(node: Node, create_graph: bool) -> Sequence[Any]:
    """Return what a node gives at which nothing arrived: nothing, but it may raise what it would raise
    otherwise; only a function of the user's may make something of it.
    """
    if (op := node._op) is None and isinstance(node, MultiNode):
        run = node.backward_graph if create_graph else node.backward
        return run([None] * len(node._shape))
    if isinstance(node, Underivable):
        return node.backward(None)
    if op is not None:
        if is_freed(node._saved):
            raise saved_errors.freed(node)
        check_versions(node, op.layout.count)
    return (None,) * len(node._edges)


def watched(node: Node, g: object, create_graph: bool) -> Sequence[Any]:
    """Run a node under anomaly detection, where failures and NaN name the forward call, or profiled."""
    mode = modes()
    run = node.backward_graph if create_graph else node.backward
    position = None if mode.watcher is None else mode.watcher.enter(type(node).__name__)
    try:
        grads = run(g)
    except Exception:
        if mode.anomaly:
            errors.anomaly_trace(node)
        raise
    finally:
        if position is not None:
            mode.watcher.leave(position)
    if mode.anomaly and mode.anomaly_check_nan:
        for index, gi in enumerate(grads):
            if gi is not None:
                value = gi
                while isinstance(value, TensorBase):
                    value = value._value
                if isinstance(value, Tracer):
                    value = np.asarray(value)  # refuses: what is NaN is known when the program runs
                if (
                    isinstance(value, (ndarray, np.generic))
                    and value.dtype.kind != "b"
                    and bool(np.isnan(value).any())
                ):
                    errors.anomaly_trace(node)
                    raise RuntimeError(
                        f"Function '{type(node).__name__}' returned nan values in its {index}th output."
                    )
    return grads
