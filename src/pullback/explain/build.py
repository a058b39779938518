"""Build an explanation: run the pullback of a call, without the call, and write down what there is."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.blame import is_freed
from ..core.node import AccumulateGrad, GradientEdge, MultiNode, Node, edge_target
from ..core.saved_errors import freed
from ..core.value import TensorBase, dtype_of, innermost, shape_of
from ..tensor.backward import BackwardCall
from . import jacobian as jacobians
from .contributions import Contributions
from .differences import Differences
from .explanation import Arrow, Covector, Explanation, LeafPart, OutputPart, Saved, Step
from .formula import formulas
from .forward import in_a_box, results, slopes
from .heat import heat
from .inside import inside
from .jacobian import BY_KIND, BY_NAME
from .modules import ModuleCalls, groups
from .replay import CannotReplay
from .scene import assigned_at
from .scopes import Scopes
from .sentences import known_name, sentence
from .shown import LARGEST, Shown, dtype_name, norm, show
from .site import Site, is_name
from .source import place_of
from .trace import Trace
from .walk import Path, results_of, undisturbed

#: Elements that all values on the path may have together; of the rest only norms are kept.
MOST_SHOWN = 100_000

#: Values on the path that are remembered until they arrive.
MOST_RECENT = 16


class Builder:
    """One explanation under construction.

    `brief` leaves out the path, Jacobians, contributions and checks; not `checked` leaves out the comparison
    of Jacobians with differences. `modules` tells which module's call made a node, by default the parameters
    do; `trace` tells which call of a public function.
    """

    def __init__(
        self, call: BackwardCall, site: Site, brief: bool = False, modules: ModuleCalls | None = None,
        checked: bool = True, trace: Trace | None = None,
    ) -> None:  # fmt: skip
        self.call = call
        self.site = site
        self.brief = brief
        self.modules = modules
        self.checked = checked
        self.trace = trace
        self.path = Path(call.roots, call.targets)
        self.ids: dict[Node, int] = {}
        self.allowance = MOST_SHOWN
        self.explanation = Explanation(site.call)
        self.steps: dict[Node, Step] = {}
        self.known_formulas: dict[Any, str] = {}
        self.recent: dict[int, tuple[ndarray, float, Shown | None]] = {}

    def build(self) -> Explanation:
        """Run the pullback and write everything down."""
        refuse_transforms(self.call)
        with undisturbed(self.path, narrow=self.call.targets is not None):
            for position, node in enumerate(self.path.nodes):
                self.ids[node] = position
                if not self.brief:
                    self.steps[node] = self.step(node)
            covectors = [np.asarray(g) for _, g in self.path.roots]
            results = self.path.pull(covectors, None if self.brief else self.visit)
            gradients = [None if g is None else np.asarray(innermost(g)) for g in results]
            self.explanation.outputs = [self.output(k) for k in range(len(self.call.roots))]
            self.explanation.leaves = [self.leaf(k, g) for k, g in enumerate(gradients)]
            if not self.brief:
                self.finish_path()
                numbers = Contributions(self.path, self.explanation).add(gradients)
                if self.checked:
                    self.add_checks(gradients, numbers)
                else:
                    for part in self.explanation.leaves:
                        part.why_unchecked = "the first call from this line was checked"
        self.add_notes()
        if self.call.inputs is None:
            self.explanation._tensors = [edge.variable for edge in self.path.targets]
        self.explanation._row = self.row
        self.explanation._column = self.column
        return self.explanation

    # --- the path -------------------------------------------------------------------------------------------

    def visit(self, node: Node, g: Any, sent: Sequence[Any]) -> None:
        """Write down what came into a rule and what went out."""
        step = self.steps[node]
        arrived = [v for v in g if v is not None] if isinstance(node, MultiNode) else [g]
        looks = [self.look(v) for v in arrived]
        step.norm = math.hypot(*(length for length, _ in looks))
        if len(arrived) == 1:
            step.incoming = looks[0][1]
        if step.known_as is not None:
            step.says = sentence(node._op, step.known_as, step.formula, slopes(node))
            step.inside = inside(node, g)
        for position, (edge, value) in enumerate(zip(node._edges, sent)):
            if value is not None:
                target, index = edge_target(edge)
                length, shown = self.look(value)
                self.explanation.arrows.append(
                    Arrow(self.ids[node], self.ids[target], position, index, np.shape(value), length, shown)
                )  # fmt: skip

    def finish_path(self) -> None:
        """Say which calls each step belongs to and what it gave, and fold the path into groups."""
        names = self.site.names
        nodes = self.path.nodes
        steps = [self.steps[node] for node in nodes]
        scopes = Scopes(nodes, names, self.modules, self.trace)
        for node, step in self.steps.items():
            step.module = scopes.paths.get(node)
            step.scopes = scopes.of(node)
        for node, value in results(nodes, names, self.trace).items():
            if node in self.steps:
                self.steps[node].value = value
        self.explanation.steps = [*steps, *groups(steps, self.explanation.arrows)]

    def look(self, value: Any) -> tuple[float, Shown | None]:
        """Return the norm of a value on the path, and how it is shown, while the allowance lasts.

        What an arrow carries arrives at its end as it is: the last values are not looked at twice.
        """
        array = np.asarray(value)
        known = self.recent.get(id(array))
        if known is not None:
            return known[1:]
        size = min(array.size, LARGEST)
        shown = show(array) if size <= self.allowance else None
        self.allowance -= size if shown is not None else 0
        length = norm(array) if shown is None else shown.norm
        if len(self.recent) >= MOST_RECENT:
            self.recent.pop(next(iter(self.recent)))
        self.recent[id(array)] = array, length, shown
        return length, shown

    def step(self, node: Node) -> Step:
        """Return the box of a node."""
        if isinstance(node._saved, tuple) and is_freed(node._saved):
            raise freed(node)
        shapes = [shape for shape, _ in results_of(node)]
        step = Step(
            self.ids[node], "op", type(node).__name__,
            variable=self.site.names.of_result(node),
            shape=next((s for s in shapes if s is not None), None),
            shapes=shapes if isinstance(node, MultiNode) else [],
            dtype=next((dtype_name(d) for _, d in results_of(node) if d is not None), None),
        )  # fmt: skip
        if type(node) is AccumulateGrad:
            step.kind = "leaf"
            step.variable = self.name_of(node.variable)
            step.structure = "identity"
            value = innermost(node.variable)
            step.value = in_a_box(value) if isinstance(value, ndarray) else None
        else:
            op = node._op
            step.op = None if op is None else op.name
            step.known_as = known_name(op, step.name)
            step.structure = BY_NAME.get(step.name, "dense") if op is None else BY_KIND[op.kind]
            step.saved = saved_values(node)
            step.formula = self.formula(node)
            place = place_of(node)
            if place is not None:
                step.file, step.line, step.code = place.file, place.line, place.code
        return step

    def formula(self, node: Node) -> str | None:
        """Return the rules of a node; nodes that differ in numbers only share them."""
        if node._op is None or node._saved is None:
            return None
        layout = node._op.layout
        kept = tuple(
            type(v) if not isinstance(v, (bool, int, float, complex)) else v
            for v in node._saved[: 3 * layout.count : 3]
        )
        key = (
            type(node), node._shape, node._dtype, kept, node._saved[3 * layout.count :],
            tuple(edge is None for edge in node._edges),
        )  # fmt: skip
        try:
            found = self.known_formulas.get(key)
        except TypeError:  # an attribute that cannot be hashed: a generator
            return "\n".join(formulas(node))
        if found is None:
            found = self.known_formulas[key] = "\n".join(formulas(node))
        return found or None

    def name_of(self, tensor: Any) -> str | None:
        """Return the program's name of a tensor, views and results included."""
        name = self.site.names.of_tensor(tensor)
        if name is None and isinstance(tensor, TensorBase) and isinstance(tensor._node, Node):
            name = self.site.names.of_result(tensor._node)
        return name

    # --- outputs and leaves ---------------------------------------------------------------------------------

    def output(self, position: int) -> OutputPart:
        """Return the part about one output."""
        y, given = self.call.outputs[position], self.call.covectors[position]
        edge, g = self.path.roots[position]
        node, index = edge_target(edge)
        shape, dtype = results_of(node)[index]
        count = len(self.call.outputs)
        written = self.site.written_output(position, count)
        name = self.name_of(y) or (written if written is not None and is_name(written) else None)
        if name is None:
            name = "y" if count == 1 else f"y{position}"
        if type(node) is not AccumulateGrad and node in self.steps:
            self.steps[node].kind = "output"
            self.steps[node].variable = self.steps[node].variable or name
        v = np.asarray(g)
        covector = Covector(
            "" if given is None else self.site.written_covector(position, count) or "v",
            show(v), given is None, tuple(shape) if v.shape != shape else None, norm(v),
        )  # fmt: skip
        value = None if isinstance(y, GradientEdge) else show(innermost(y))
        return OutputPart(
            name, tuple(shape), dtype_name(dtype), value, covector, self.ids.get(node),
            written if written != name else None,
        )  # fmt: skip

    def leaf(self, position: int, gradient: ndarray | None) -> LeafPart:
        """Return the part about one leaf or input."""
        edge = self.path.targets[position]
        tensor = self.call.inputs[position] if self.call.inputs is not None else edge.variable
        node = None if edge is None else edge_target(edge)[0]
        shape, dtype = shape_of(tensor), dtype_of(tensor)
        name = self.name_of(tensor) or ("x" if len(self.path.targets) == 1 else f"x{position}")
        line = None
        if name.isidentifier() and self.site.call.line:
            line = assigned_at(self.site.call.file, name, self.site.call.line)
        before = after = None
        if self.call.kind != "grad":
            old = tensor._grad if isinstance(tensor, TensorBase) else None
            before = None if old is None else np.asarray(innermost(old))
            after = gradient if before is None else before if gradient is None else before + gradient
        return LeafPart(
            name, shape, dtype_name(dtype), show(innermost(tensor)),
            self.site.call.file if line is not None else None, line,
            self.ids.get(node) if node is not None else None,
            None if before is None else show(before),
            None if gradient is None else show(gradient),
            None if after is None else show(after),
            heat=None if gradient is None or self.brief else heat(gradient),
        )  # fmt: skip

    # --- the check ------------------------------------------------------------------------------------------

    def add_checks(
        self, gradients: Sequence[ndarray | None], numbers: Sequence[Sequence[ndarray | None]]
    ) -> None:
        """Compare with central differences, or say why not."""
        parts = self.explanation.leaves
        try:
            dtypes = [dtype_name(d) for n in self.path.nodes for _, d in results_of(n) if d is not None]
            norms = [s.norm for s in self.steps.values() if s.norm is not None and math.isfinite(s.norm)]
            differences = Differences(self.path, dtypes, max(norms, default=0.0))
        except CannotReplay as reason:
            for part in parts:
                part.why_unchecked = str(reason)
            return
        arrived = [
            (part, edge_target(edge)[0], g)
            for part, edge, g in zip(parts, self.path.targets, gradients)
            if g is not None and edge is not None
        ]
        if sum(g.size for _, g in self.path.roots) == 1 and self._check_together(differences, arrived):
            return
        for position, (part, gradient) in enumerate(zip(parts, gradients)):
            edge = self.path.targets[position]
            if gradient is None or edge is None:
                continue
            try:
                rows = [found[position] for found in numbers]
                part.check = differences.check(edge_target(edge)[0], gradient, rows)
            except CannotReplay as reason:
                part.why_unchecked = str(reason)

    @staticmethod
    def _check_together(differences: Differences, arrived: Sequence[tuple[LeafPart, Node, ndarray]]) -> bool:
        """Check the gradients of a scalar at once; return whether that was enough."""
        try:
            check = differences.check_together([leaf for _, leaf, _ in arrived], [g for *_, g in arrived])
        except CannotReplay:
            return False
        for part, *_ in arrived if check is not None else ():
            part.check = check
        return check is not None

    # --- on demand ------------------------------------------------------------------------------------------

    def row(self, index: Any, output: int = 0) -> dict[str, ndarray]:
        """Return one row of J per leaf."""
        part = self.explanation.outputs[output]
        unit = np.zeros(part.shape, self.path.roots[output][1].dtype)
        unit[_index(index, part.shape)] = 1
        with undisturbed(self.path, narrow=self.call.targets is not None):
            found = jacobians.single(self.path, output, unit)
        return {
            leaf.name: np.zeros(leaf.shape, leaf.dtype) if row is None else row
            for leaf, row in zip(self.explanation.leaves, found)
        }

    def column(self, name: str, index: Any, output: int = 0) -> ndarray:
        """Return one column of J for a leaf."""
        leaf = self.explanation.leaf(name)
        part = self.explanation.outputs[output]
        target = self.explanation.leaves.index(leaf)
        with undisturbed(self.path, narrow=self.call.targets is not None):
            return jacobians.column_of(
                self.path, output, part.shape, self.path.roots[output][1].dtype, target,
                _index(index, leaf.shape),
            )  # fmt: skip

    # --- notes ----------------------------------------------------------------------------------------------

    def add_notes(self) -> None:
        """Say what the numbers do not."""
        notes = self.explanation.notes
        for output in self.explanation.outputs:
            covector = output.covector
            if covector.broadcast_from is not None and not self.call.batched:
                notes.append(
                    f"v has shape {_written(covector.value.shape)} and {output.name} has shape "
                    f"{_written(output.shape)}: each of v's parts of that shape is a covector of its own, "
                    "and what they bring adds up, as if J were repeated."
                )
        if self.call.batched:
            notes.append("is_grads_batched: each row of v is pulled back by itself; shown here is their sum.")
        hooks = [(step.name, node._hooks) for node, step in self.steps.items()]
        hooked = [name for name, h in hooks if h is not None and (h.tensor or h.pre or h.post)]
        if hooked:
            notes.append(
                f"Hooks stand on the way ({', '.join(sorted(set(hooked)))}). They are not called here: the "
                "numbers are those without them."
            )
        custom = sorted({type(node).__name__ for node in self.path.custom})
        if custom:
            notes.append(
                f"Custom functions stand on the way ({', '.join(custom)}): their backward ran for this "
                "explanation, too."
            )


def refuse_transforms(call: BackwardCall) -> None:
    """Raise where the outputs have no numbers: within a transform of a function, or a trace."""
    values = [*(g for _, g in call.roots), *(y for y in call.outputs if isinstance(y, TensorBase))]
    if not all(isinstance(innermost(value), (ndarray, np.generic)) for value in values):
        raise RuntimeError("explain needs numbers; inside vmap, grad or compile there are none yet")


def saved_values(node: Node) -> list[Saved]:
    """Return what a node saved for its rule, under the op's own names."""
    op, saved = node._op, node._saved
    if op is None or not saved:
        return []
    found = []
    layout = op.layout
    for position, name in enumerate(layout.values):
        value = saved[3 * position]
        if isinstance(value, ndarray):
            found.append(Saved(name, value.shape, norm(value) if value.dtype.kind in "fcVW" else None))
        elif value is not None and isinstance(value, (bool, int, float, complex)):
            found.append(Saved(name, None, None, f"{value:g}" if not isinstance(value, bool) else str(value)))
    first = 3 * layout.count
    for name, value in zip((*layout.metadata, *layout.attrs), saved[first:]):
        found.append(Saved(name, None, None, str(value)))
    return found


def _index(index: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a place in an array of a shape; a single number counts in C order."""
    if isinstance(index, tuple):
        return index
    return tuple(int(i) for i in np.unravel_index(index, shape)) if shape else ()


def _written(shape: Sequence[int]) -> str:
    return "×".join(map(str, shape)) if shape else "()"
