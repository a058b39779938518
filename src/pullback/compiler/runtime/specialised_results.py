"""Write what makes a call's results of the outputs of its program (`specialised_call`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...core.calls import edge_of
from ...core.graph_errors import is_freed_graph
from ...core.node import LEAF, Output
from ...core.value import wrap
from ...tensor.tree import TreeSpec, tree_unflatten
from ..frontend.captured import Captured
from ..frontend.state.deferred import Applied, comes_before
from ..frontend.state.guards import is_same
from .boundary import boundary, refusal, spent
from .specialised_source import Source, tuple_text


def is_early(result: Any) -> bool:
    """Return whether a result is a number that is worked out before the program runs."""
    return result.kind == "number" and comes_before(result.at[0])


def may_fail(result: Any) -> bool:
    """Return whether a result is a number that cannot always be worked out when the program has run."""
    value = result.at[0] if result.kind == "number" else None
    return isinstance(value, Applied) and not comes_before(value)


class Results:
    """The results of a call, and the node that leads back from them.

    `cells` are the expressions of the cells' tensors, `tensors` those at the trace, `containers` the
    arguments' and whether each can be changed; `pull` is the pullback, as a node takes it.
    """

    def __init__(
        self, captured: Captured, source: Source, cells: Sequence[str], tensors: Sequence[Any],
        containers: Sequence[tuple[str, bool]], pull: Callable[..., Any],
    ) -> None:  # fmt: skip
        self._captured, self._source, self._cells = captured, source, cells
        self._tensors, self._containers, self._pull = tensors, containers, pull
        pulled = [(captured.cells[at], tensors[at]) for at, _ in captured.pulled]
        #: Whether all results with a history were pulled back by the function, and end at fixed leaves: the
        #: edges to these are not needed before they are asked for.
        self.is_spent = (
            bool(captured.refused)
            and not captured.differentiable
            and all(is_freed_graph(error) for _, error, _ in captured.refused)
            and all(c.kind == "fixed" and t._node is LEAF and t._view is None for c, t in pulled)
        )

    def write(self) -> None:
        """Write the lines, to the return of the answer."""
        captured, source = self._captured, self._source
        if captured.differentiable or captured.refused:
            self._node()
        made = self._made()
        values: list[str] = []
        expected = dict(captured.late)
        again = {result.at for result in captured.results if result.kind == "again"}
        for n, result in enumerate(captured.results):
            values.append(self._value(n, result, values, made, n in again))
            if n in expected:
                source.names["is_same"] = is_same
                source.unless(f"is_same({values[n]}, {source.name('expected', expected[n])})")
        if captured.differentiable and captured.pullback is not None:
            saved = [self._saved(entry, made) for entry in captured.saved]
            source.line(f"node._saved = {tuple_text(saved)}")
        remaining = iter(values)
        source.line(f"answer = {self._structure(captured.structure, remaining)}")
        for function, structure in captured.effects:
            name = source.name("effect", function)
            source.line(f"{name}(*{self._structure(structure, remaining)})")
        source.line("return answer")

    def _made(self) -> list[str]:
        """Write what gives new tensors their places, versions and histories, and return their names."""
        captured, source = self._captured, self._source
        made: list[str] = []
        whole = {new.output for new in captured.made if new.placement is None}
        for n, new in enumerate(captured.made):
            name = f"o{new.output}"
            if new.placement is not None:
                name = f"m{n}"
                array = f"o{new.output}" + ("._value" if new.output in whole else "")
                if new.placement.cell is not None:
                    array = f"{self._cells[new.placement.cell]}._value"
                source.names |= {"wrap": wrap, "LEAF": LEAF, f"part{n}": new.placement.of}
                source.line(f"{name} = wrap(part{n}({array}), {'LEAF' if new.leaf else None})")
            if new.version is None:
                source.line(f"{name}._counter = {source.name('counter', new.counter)}()")
            elif new.version:
                source.line(f"{name}._counter[0] = {new.version}")
            if new.differentiable is not None:
                source.line(f"{name}._node = edge(Output, (node, {new.differentiable}))")
            elif new.refused is not None:
                given = f"leaves{new.refused}, frame" if self.is_spent else "edges"
                source.line(f"{name}._node = edge(Output, (refusal{new.refused}({given}), 0))")
            made.append(name)
        return made

    def _value(self, n: int, result: Any, values: Sequence[str], made: Sequence[str], again: bool) -> str:
        """Return the expression of a result, `again` one that another is, too."""
        source = self._source
        if result.kind == "again":
            return values[result.at]
        if result.kind == "cell":
            return self._cells[result.at]
        if result.kind == "made":
            return made[result.at]
        if result.kind == "container":
            return self._containers[result.at.place][0]
        if result.kind == "value":
            return source.name("v", result.at)
        name = f"n{n}"
        how = source.name("how", result.tensor)
        call = f"{how}({tuple_text(self._cells)}, {tuple_text(made)})"
        if is_early(result):
            return name
        # A number is read before an effect changes the place that it is read from.
        if may_fail(result):
            source.attempt(f"{name} = {call}")
            return name
        if result.kind == "number" or again:
            source.line(f"{name} = {call}")
            return name
        return call

    def _node(self) -> None:
        captured, source = self._captured, self._source
        source.names |= {
            "boundary": boundary, "edge_of": edge_of, "Output": Output,
            "shapes": tuple(shape for shape, _ in captured.differentiable),
            "dtypes": tuple(dtype for _, dtype in captured.differentiable),
            "pull": self._pull, "positions": tuple(position for _, position in captured.pulled),
            "apart": captured.apart,
        }  # fmt: skip
        # What the class of a named tuple does in Python takes longer than all else about an edge.
        source.names["edge"] = tuple.__new__
        for k, (kind, error, led_to) in enumerate(captured.refused):
            made = spent(*kind, len(led_to)) if self.is_spent else refusal(*kind, error, led_to)
            source.names[f"refusal{k}"] = made
            source.names[f"leaves{k}"] = tuple(self._tensors[captured.pulled[n][0]] for n in led_to)
        if self.is_spent:
            return
        edges = tuple_text(f"edge_of({self._cells[at]})" for at, _ in captured.pulled)
        source.line(f"edges = {edges}")
        if captured.differentiable:
            source.line("node = boundary(edges, (), shapes, dtypes, pull, positions, None, apart)")

    def _saved(self, saved: Any, made: Sequence[str]) -> str:
        if saved.made is not None and self._captured.made[saved.made].placement is not None:
            t = made[saved.made]
            return f"(o{saved.output}, {t}._counter, {t}._counter[0], None)"
        if saved.cell is not None or saved.made is not None:
            t = self._cells[saved.cell] if saved.cell is not None else made[saved.made]
            whose, array = t if saved.itself else "None", f"{t}._value"
            if saved.cell is not None and not self._tensors[saved.cell]._value.flags.c_contiguous:
                self._source.names["in_order"] = np.ascontiguousarray
                array = f"in_order({array})"
            return f"({array}, {t}._counter, {t}._counter[0], {whose})"
        return f"(o{saved.output}, None, 0, None)"

    def _structure(self, spec: TreeSpec, values: Iterator[str]) -> str:
        """Return the expression that puts results together as the function did."""
        if spec.type is None:
            return next(values)
        if spec.type in (tuple, list):
            parts = [self._structure(child, values) for child in spec.children_specs]
            return tuple_text(parts) if spec.type is tuple else f"[{', '.join(parts)}]"
        name = self._source.name("structure", spec)
        self._source.names["tree_unflatten"] = tree_unflatten
        leaves = ", ".join(next(values) for _ in range(spec.num_leaves))
        return f"tree_unflatten([{leaves}], {name})"
