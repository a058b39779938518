"""Run a graph forward again, in double precision, from values of its leaves that may be chosen.

A graph is kept for going back, so not all that the forward run had is there. What is not has to be found, or
to be shown not to matter:

- a leaf, and whatever an op saved, is there as it was in the run;
- a constant that no rule asks for (the 1 of ``x + 1``) leaves all derivatives alone: zeros stand for it, and
  the result is known up to a shift only;
- where a later op saved that result, the shift is known, too;
- where the next op's derivative depends on it and nobody saved it, the run cannot be repeated: `CannotReplay`
  says so. So it does for custom functions, which are code and no op.

What is repeated is compared with what was saved, so that a value changed behind the graph's back is found.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..core import facade
from ..core.node import AccumulateGrad, Node, edge_target
from ..core.value import innermost
from ..core.view_nodes import AsStridedBackward0, CopySlices, laid_out_like
from .sentences import op_of
from .shown import dtype_name, widened
from .walk import Path, Place, reachable, results_of, saved_results, size_of

#: How far a value run again in float64 may be from the one that was saved in a dtype.
CLOSE = {"float64": 1e-7, "complex128": 1e-7, "float32": 1e-3, "complex64": 1e-3}
ROUGH = 5e-2


class CannotReplay(Exception):
    """Report why a graph cannot be run forward again."""


class Replay:
    """The forward run of a path; raises `CannotReplay`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # Also what leads to no leaf that was asked for: it takes part in the values.
        self.nodes = reachable(edge_target(edge)[0] for edge, _ in path.roots)[::-1]
        self.known = saved_results(self.nodes)
        self.shifts: dict[Place, ndarray] = {}
        self.constants: dict[Place, ndarray] = {}
        self.leaves: dict[Node, ndarray] = {}
        self.unchanged: dict[Place, ndarray] = {}
        for node in self.nodes:
            if type(node) is AccumulateGrad:
                value = self.known.get((node, 0))
                value = innermost(node.variable) if value is None else value
                if not isinstance(value, (ndarray, np.generic)):
                    raise CannotReplay("a leaf has no numbers")
                self.leaves[node] = widened(np.asarray(value))
        self._learn()

    def run(self, changed: dict[Node, ndarray]) -> list[ndarray]:
        """Return the outputs' values, up to constants, with other values in some leaves.

        Only what is behind these is run; the rest is as it was.
        """
        values = dict(self.unchanged)
        moved: set[Node] = set(changed)
        for node in self.nodes:
            if type(node) is AccumulateGrad:
                values[node, 0] = changed.get(node, self.leaves[node])
                continue
            if not any(e is not None and edge_target(e)[0] in moved for e in node._edges):
                continue
            moved.add(node)
            for place, value in self._results(node, values).items():
                shift = self.shifts.get(place)
                values[place] = value if shift is None else value + shift
        return [
            values[place] if (place := edge_target(edge)) in values else np.zeros(shape_at(place))
            for edge, _ in self.path.roots
        ]

    # --- the first run --------------------------------------------------------------------------------------

    def _learn(self) -> None:
        """Run once on the leaves as they were; find shifts, and what cannot be had."""
        values: dict[Place, ndarray] = {(node, 0): value for node, value in self.leaves.items()}
        unknown: set[Place] = set()
        for node in self.nodes:
            if type(node) is AccumulateGrad:
                continue
            if is_random(node):
                self._keep(node)
            lacking = self._lacking(node, unknown)
            for place, value in self._results(node, values).items():
                saved = self.known.get(place)
                if saved is not None and saved.shape == value.shape:
                    saved_wide = widened(saved)
                    if lacking:
                        self.shifts[place] = saved_wide - value
                    elif not agrees(value, saved_wide, dtype_name(saved.dtype)):
                        raise CannotReplay(
                            f"{op_of(node)} run again gives other values than it gave: something on "
                            "the way was changed in place, or keeps a state of its own"
                        )
                    value = saved_wide if lacking else value
                elif lacking:
                    unknown.add(place)
                values[place] = value
        self.unchanged = values

    def _keep(self, node: Node) -> None:
        """Take the result of a random draw as it was."""
        for place in places_of(node):
            saved = self.known.get(place)
            if saved is None:
                raise CannotReplay(f"{op_of(node)} draws random numbers, and these were not kept")
            self.constants[place] = widened(saved)

    def _lacking(self, node: Node, unknown: set[Place]) -> bool:
        """Return whether a node's result is known up to a shift only.

        Raises `CannotReplay` where the node's derivative depends on what is not known.
        """
        op = node._op
        if op is None or is_random(node):
            return any(e is None or edge_target(e) in unknown for e in node._edges) and op is None
        lacking = False
        wanted = op.layout.wanted
        rules = wanted if op.joint else [w for w, e in zip(wanted, node._edges) if e is not None]
        asked = set().union(*rules)
        by_result = "out" in asked or bool(asked & set(op.outputs))
        for position, edge in enumerate(node._edges):
            name = op.inputs[0 if op.variadic else position]
            if edge is None:
                # Where the rule goes by the result, the result is there and shows whether this mattered.
                lacking = lacking or (not by_result and self._constant(node, position) is None)
            elif edge_target(edge) in unknown:
                if by_result or name in asked:
                    raise CannotReplay(
                        f"a constant before {op_of(node)} was not kept, and its derivative depends on it"
                    )
                lacking = True
        return lacking

    # --- one op ---------------------------------------------------------------------------------------------

    def _results(self, node: Node, values: dict[Place, ndarray]) -> dict[Place, ndarray]:
        """Return the results of a node's op on the values of its inputs."""
        if self.constants and (node, 0) in self.constants:
            return {place: self.constants[place] for place in places_of(node)}
        if isinstance(node, CopySlices):
            return {(node, 0): self._written(node, values)}
        if isinstance(node, AsStridedBackward0):
            return {(node, 0): self._viewed(node, values)}
        op = node._op
        if op is None or (op.kind == "opaque" and op.name.endswith("_backward")):
            raise CannotReplay(f"{op_of(node)} cannot be run again by itself")
        inputs = [
            values[edge_target(edge)] if edge is not None else self._stand_in(node, position)
            for position, edge in enumerate(node._edges)
        ]
        result = self._evaluated(op, inputs, tuple(map(_widest, attributes(node))))
        results = result if isinstance(result, tuple) else (result,)
        which = range(len(results)) if op.many else op.differentiable_outputs
        carried = [results[k] for k in which]
        return {place: widened(np.asarray(value)) for place, value in zip(places_of(node), carried)}

    @staticmethod
    def _evaluated(op: Any, inputs: list[Any], attrs: tuple[object, ...]) -> Any:
        """Run a kernel; an operand that is not there is one that was left out, or else zero."""
        try:
            try:
                return op.evaluate(tuple(inputs), attrs)
            except AttributeError:
                return op.evaluate(tuple(np.zeros(1) if v is None else v for v in inputs), attrs)
        except Exception as error:
            raise CannotReplay(f"{op.name} cannot be run again: {type(error).__name__}: {error}") from error

    def _stand_in(self, node: Node, position: int) -> Any:
        """Return an input that no covector goes to: as it was saved, else zeros or nothing."""
        value = self._constant(node, position)
        if value is not None:
            return widened(value) if isinstance(value, ndarray) and value.dtype.kind in "fcVW" else value
        if node._op.kind == "elementwise":
            return np.zeros(node._shape)
        if node._op.variadic:
            raise CannotReplay(f"an operand of {node._op.name} was not kept")
        if position == 0:
            return np.zeros(shape_at((node, 0)))
        return None

    @staticmethod
    def _constant(node: Node, position: int) -> Any:
        """Return the saved value of an input; None where it was not saved."""
        layout = node._op.layout
        if node._op.variadic or node._saved is None:
            return None
        name = node._op.inputs[position]
        if name not in layout.values:
            return None
        return innermost(node._saved[layout.position[name]])

    @staticmethod
    def _written(node: CopySlices, values: dict[Place, ndarray]) -> ndarray:
        base, source = node._edges
        if node._dtype.kind in "cW":
            raise CannotReplay("a write into part of complex values is not run again")
        whole = np.zeros(node._shape) if base is None else values[edge_target(base)]
        whole = laid_out_like(whole.copy(), node.strides)
        part: Any = np.zeros(()) if source is None else values[edge_target(source)]
        return np.asarray(facade.put(whole, part, node.steps, node.strides))

    @staticmethod
    def _viewed(node: AsStridedBackward0, values: dict[Place, ndarray]) -> ndarray:
        value: Any = values[edge_target(node._edges[0])]
        for step, index in reversed(node.chain):
            value = step._op.call(value, *attributes(step))
            if index is not None:
                value = value[index]
        if value.shape != node._shape:
            raise CannotReplay("a view cannot be taken again")
        return np.asarray(value)


def work(path: Path) -> int:
    """Return about how many numbers one run moves; a small op counts as some hundred."""
    nodes = reachable(edge_target(edge)[0] for edge, _ in path.roots)
    return 300 * len(nodes) + size_of(nodes)


def attributes(node: Node) -> Sequence[Any]:
    """Return the attributes with which a node's op was called."""
    layout = node._op.layout
    assert node._saved is not None  # a freed graph is refused before
    return node._saved[3 * layout.count + len(layout.metadata) :]


def shape_at(place: Place) -> tuple[int, ...]:
    """Return the shape of one result of a node."""
    node, index = place
    return tuple(results_of(node)[index][0])


def is_random(node: Node) -> bool:
    """Return whether a node's op draws random numbers."""
    return node._op is not None and node._op.draws


def places_of(node: Node) -> list[Place]:
    """Return the results of a node that carry gradients."""
    return [(node, k) for k in range(len(results_of(node)))]


def _widest(attribute: Any) -> Any:
    """Return an attribute that keeps values wide: another dtype in place of a narrow floating one."""
    if isinstance(attribute, np.dtype) and attribute.kind in "fcVW":
        return np.dtype(np.complex128 if attribute.kind in "cW" else np.float64)
    return attribute


def agrees(value: ndarray, saved: ndarray, dtype: str) -> bool:
    """Return whether a value run again is the one that was saved, up to rounding."""
    tolerance = CLOSE.get(dtype, ROUGH)
    finite = saved[np.isfinite(saved)]
    scale = float(np.abs(finite).max(initial=0))
    with np.errstate(all="ignore"):
        return bool(np.allclose(value, saved, tolerance, tolerance * scale + 1e-30, equal_nan=True))
