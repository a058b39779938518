"""Rules and tangents of an op whose kernel is a function of other ops in one piece.

Such an op has fast kernels on bare arrays for itself and for its covectors. Where derivatives of these are
asked for, the function that the kernel stands for runs on tensors of a fresh level (for covectors) or on
duals (for tangents), and the ops that it is made of do the rest.
"""

from collections.abc import Callable, Sequence
from typing import Any

from numpy import ndarray

from .backward_task import Capture
from .calls import edge_of
from .dual import Dual, zeros
from .engine import run_backward
from .levels import fresh_level
from .modes import change, set_modes
from .node import LEAF, edge_target
from .tracer import Tracer, is_tracing
from .value import wrap


def are_plain(values: Sequence[object]) -> bool:
    """Return whether the kernel for covectors takes these values: nothing asks for derivatives of its
    results.

    While a function is traced it does not, because the steps that a kernel stands for become loops there.
    """
    kinds = ndarray if is_tracing() else (ndarray, Tracer)
    return all(v is None or isinstance(v, kinds) for v in values)


def pulled_back(
    function: Callable[..., tuple[Any, ...]], inputs: Sequence[object], covectors: Sequence[object],
    needs: Sequence[bool],
) -> tuple[Any, ...]:  # fmt: skip
    """Pull covectors of the function's results back to the inputs that are needed; None for the others.

    There are as many results as covectors. All values are of levels below the one at which the function runs.
    """
    level = fresh_level()
    lifted = [wrap(v) if isinstance(v, ndarray) else v for v in inputs]
    before = change(grad=True)
    try:
        tensors = [
            None if v is None else wrap(v, LEAF if need else None, level)
            for v, need in zip(lifted, needs, strict=True)
        ]
        roots = [
            (edge_of(result), wrap(g) if isinstance(g, ndarray) else g)
            for result, g in zip(function(*tensors), covectors, strict=True)
            if result._node is not None
        ]
        leaves = [
            edge_of(t) if need and t is not None else None for t, need in zip(tensors, needs, strict=True)
        ]
        capture = Capture(leaves, [edge_target(edge)[0] for edge, _ in roots])
        set_modes(before)
        run_backward(
            roots, keep_graph=False, create_graph=False, capture=capture, accumulate=False, record_inner=True
        )
    finally:
        set_modes(before)
    return tuple(capture.results)


def pushed_forward(
    function: Callable[..., tuple[Any, ...]], primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, ...]:
    """Return tangents of the function's results; None where a result has none."""
    level = fresh_level()
    duals = [p if t is None else Dual(p, t, level) for p, t in zip(primals, tangents, strict=True)]
    results = function(*duals)
    return tuple(r.tangent if isinstance(r, Dual) and r._level == level else zeros(r) for r in results)
