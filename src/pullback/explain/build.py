"""Builds an explanation: runs the pullback of a call, without the call, and writes down what there is."""

from __future__ import annotations

import ast
import linecache
import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.blame import is_freed
from ..core.node import AccumulateGrad, GradientEdge, MultiNode, Node, edge_target
from ..core.saved import freed
from ..core.value import TensorBase, dtype_of, shape_of
from ..tensor.backward import BackwardCall
from . import jacobian as jacobians
from .differences import Differences
from .explanation import (
    Arrow,
    Call,
    Contribution,
    Covector,
    Explanation,
    Jacobian,
    LeafPart,
    OutputPart,
    Saved,
    Step,
)
from .formula import formulas
from .modules import ModuleCalls, groups, paths_by_parameters
from .names import Names, argument, assigned_at, expression_at, is_ours
from .replay import CannotReplay
from .shown import LARGEST, Shown, norm, show, widened
from .source import place_of
from .structure import BY_KIND, BY_NAME, of_chain, of_numbers
from .walk import Path, array_at_bottom, undisturbed

#: Elements that all values on the path may have together; of the rest only norms are kept.
MOST_SHOWN = 100_000

#: Elements of a covector up to which each one's contribution is worked out.
MOST_CONTRIBUTIONS = 64


@dataclass
class Site:
    """Describe where the call was made: the frame's names, and the call as it is written there."""

    kind: str
    call: Call
    names: Names
    written: ast.expr | None

    @classmethod
    def of(cls, kind: str, frame: FrameType | None) -> Site:
        """Look at the first frame outside the package, from `frame` on."""
        while frame is not None and is_ours(frame):
            frame = frame.f_back
        if frame is None:
            return cls(kind, Call(kind, "", 0, ""), Names(None), None)
        code = frame.f_code
        line = frame.f_lineno
        text = linecache.getline(code.co_filename, line, frame.f_globals).strip()
        written = expression_at(code, frame.f_lasti)
        return cls(kind, Call(kind, code.co_filename, line, text), Names(frame), written)

    def written_output(self, position: int, count: int) -> str | None:
        """Return an output as it is written in the call."""
        call = self.written
        if not isinstance(call, ast.Call):
            return None
        name = _called(call)
        if name == "backward" and isinstance(call.func, ast.Attribute) and not _is_module(call.func.value):
            return _text(call.func.value)
        expression = argument(call, 0, {"grad": "outputs", "backward": "tensors"}.get(name, "y"))
        return _text(_member(expression, position, count))

    def written_covector(self, position: int, count: int) -> str | None:
        """Return a covector as it is written in the call."""
        call = self.written
        if not isinstance(call, ast.Call):
            return None
        name = _called(call)
        if name == "backward" and isinstance(call.func, ast.Attribute) and not _is_module(call.func.value):
            return _text(argument(call, 0, "gradient"))
        place, keyword = {"grad": (2, "grad_outputs"), "backward": (1, "grad_tensors")}.get(
            name, (1, "gradient")
        )
        return _text(_member(argument(call, place, keyword), position, count))


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _is_module(expression: ast.expr) -> bool:
    """Return whether `torch.autograd` is what a method is called on."""
    return ast.unparse(expression).split(".")[-1] in ("autograd", "torch", "pullback")


def _member(expression: ast.expr | None, position: int, count: int) -> ast.expr | None:
    if isinstance(expression, (ast.List, ast.Tuple)) and len(expression.elts) == count:
        return expression.elts[position]
    return expression if count == 1 else None


def _is_name(written: str) -> bool:
    """Return whether an expression is a variable, an attribute or an element of one."""
    return all(c.isalnum() or c in "_.[]'" for c in written)


def _text(expression: ast.expr | None) -> str | None:
    if expression is None:
        return None
    text = ast.unparse(expression)
    return text if len(text) <= 40 else None


class Builder:
    """One explanation under construction.

    Parameters
    ----------
    call : BackwardCall
    site : Site
    brief : bool
        Leave out the path, Jacobians, contributions and checks.
    checked : bool
        Compare Jacobians with differences.
    modules : ModuleCalls, optional
        Tells which module's call made a node; by default the parameters tell.
    """

    def __init__(
        self, call: BackwardCall, site: Site, brief: bool = False, modules: ModuleCalls | None = None,
        checked: bool = True,
    ) -> None:  # fmt: skip
        self.call = call
        self.site = site
        self.brief = brief
        self.modules = modules
        self.checked = checked
        targets = call.targets
        self.path = Path(call.roots, targets)
        self.ids: dict[Node, int] = {}
        self.allowance = MOST_SHOWN
        self.explanation = Explanation(site.call)
        self.steps: dict[Node, Step] = {}
        self.singly = False
        self.known_formulas: dict[Any, str] = {}

    def build(self) -> Explanation:
        """Run the pullback and write everything down."""
        refuse_transforms(self.call)
        with undisturbed(self.path, narrow=self.call.targets is not None):
            for position, node in enumerate(self.path.nodes):
                self.ids[node] = position
                if not self.brief:
                    self.steps[node] = self.step(node)
            results = self.path.pull(self.covectors(), None if self.brief else self.visit)
            gradients = [None if g is None else np.asarray(array_at_bottom(g)) for g in results]
            self.explanation.outputs = [self.output(k) for k in range(len(self.call.roots))]
            self.explanation.leaves = [self.leaf(k, g) for k, g in enumerate(gradients)]
            if not self.brief:
                self.finish_path()
                numbers = self.add_jacobians(gradients)
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

    def covectors(self) -> list[Any]:
        """Return the covectors as the engine starts with them; a batch of `grad` is added up."""
        return [np.asarray(g) for _, g in self.path.roots]

    # --- the path -------------------------------------------------------------------------------------------

    def visit(self, node: Node, g: Any, sent: Sequence[Any]) -> None:
        """Write down what came into a rule and what went out."""
        step = self.steps[node]
        arrived = [v for v in g if v is not None] if isinstance(node, MultiNode) else [g]
        step.norm = math.sqrt(sum(norm(v) ** 2 for v in arrived))
        if len(arrived) == 1:
            step.incoming = self.show_some(arrived[0])
        for position, (edge, value) in enumerate(zip(node._edges, sent)):
            if value is not None:
                target, index = edge_target(edge)
                array = np.asarray(value)
                self.explanation.arrows.append(
                    Arrow(
                        self.ids[node], self.ids[target], position, index, array.shape, norm(array),
                        self.show_some(array),
                    )
                )  # fmt: skip

    def finish_path(self) -> None:
        """Say which module each step belongs to, and fold the path into groups."""
        names = self.site.names
        nodes = self.path.nodes
        found = self.modules.paths(nodes, names) if self.modules is not None else {}
        if not found:
            found = paths_by_parameters(nodes, names)
        steps = [self.steps[node] for node in nodes]
        for node, path in found.items():
            self.steps[node].module = path
        self.explanation.steps = [*steps, *groups(steps, self.explanation.arrows)]

    def show_some(self, value: Any) -> Shown | None:
        """Show a value on the path while the allowance lasts."""
        array = np.asarray(value)
        size = min(array.size, LARGEST)
        if size > self.allowance:
            return None
        self.allowance -= size
        return show(array)

    def step(self, node: Node) -> Step:
        """Return the box of a node."""
        if isinstance(node._saved, tuple) and is_freed(node._saved):
            raise freed(node)
        several = isinstance(node, MultiNode)
        shapes = list(node._shape) if several else [node._shape]
        dtypes = node._dtype if several else (node._dtype,)
        step = Step(
            self.ids[node], "op", type(node).__name__,
            variable=self.site.names.of_result(node),
            shape=next((s for s in shapes if s is not None), None),
            shapes=shapes if several else [],
            dtype=next((str(d) for d in dtypes if d is not None), None),
        )  # fmt: skip
        if type(node) is AccumulateGrad:
            step.kind = "leaf"
            step.variable = self.name_of(node.variable)
            step.structure = "identity"
        else:
            op = node._op
            step.op = None if op is None else op.name
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
        shape, dtype = _at(node, index)
        count = len(self.call.outputs)
        written = self.site.written_output(position, count)
        name = self.name_of(y) or (written if written is not None and _is_name(written) else None)
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
        value = None if isinstance(y, GradientEdge) else show(array_at_bottom(y))
        return OutputPart(
            name, tuple(shape), str(dtype), value, covector, self.ids.get(node),
            written if written != name else None,
        )  # fmt: skip

    def leaf(self, position: int, gradient: ndarray | None) -> LeafPart:
        """Return the part about one leaf or input."""
        edge = self.path.targets[position]
        tensor = self.call.inputs[position] if self.call.inputs is not None else edge.variable
        node = None if edge is None else edge_target(edge)[0]
        shape, dtype = shape_of(tensor), dtype_of(tensor)
        name = self.name_of(tensor) or self.default_name(position)
        line = None
        if name.isidentifier() and self.site.call.line:
            line = assigned_at(self.site.call.file, name, self.site.call.line)
        before = after = None
        if self.call.kind != "grad":
            old = tensor._grad if isinstance(tensor, TensorBase) else None
            before = None if old is None else np.asarray(array_at_bottom(old))
            after = gradient if before is None else before if gradient is None else before + gradient
        return LeafPart(
            name, shape, str(dtype), show(array_at_bottom(tensor)),
            self.site.call.file if line is not None else None, line,
            self.ids.get(node) if node is not None else None,
            None if before is None else show(before),
            None if gradient is None else show(gradient),
            None if after is None else show(after),
        )  # fmt: skip

    def default_name(self, position: int) -> str:
        """Return a name for a leaf that no variable holds."""
        return "x" if len(self.path.targets) == 1 else f"x{position}"

    # --- Jacobians ------------------------------------------------------------------------------------------

    def add_jacobians(
        self, gradients: Sequence[ndarray | None], singly: bool = False
    ) -> list[list[ndarray | None]]:
        """Build J of each output by each leaf, where it is small enough, and the contributions to vᵀ·J.

        `singly`: row by row, as rules run on one covector. They may say something else on a batch where a
        saved value was changed behind autograd's back. Returns the rows, per output and leaf.
        """
        built = []
        parts = self.explanation.leaves
        self.singly = singly
        for part in parts:
            part.jacobians, part.contributions = [], None
        for k, output in enumerate(self.explanation.outputs):
            columns = sum(math.prod(p.shape) for p in parts)
            rows = math.prod(output.shape)
            refusal = jacobians.Cost.of(self.path, rows, columns).refusal()
            found: list[ndarray | None] = [None] * len(parts)
            if refusal is None:
                dtype = self.path.roots[k][1].dtype
                units = jacobians.unit_rows(output.shape, dtype)
                found, refusal = jacobians.rows_of(self.path, k, units, singly)
            built.append(found)
            for part, gradient, numbers in zip(parts, gradients, found):
                part.jacobians.append(self.jacobian(k, output, part, numbers, refusal, gradient))
            self.add_contributions(k, found, gradients, refusal)
        remarks = []
        for part, gradient in zip(parts, gradients):
            if part.why_no_contributions is not None:
                part.contributions = None
            elif gradient is not None and part.contributions:
                remark, is_finite = self.compare_sum(part, gradient)
                if is_finite and not singly:
                    return self.add_jacobians(gradients, singly=True)
                remarks += [remark] if remark else []
        self.explanation.notes += remarks
        return built

    def add_checks(
        self, gradients: Sequence[ndarray | None], numbers: Sequence[Sequence[ndarray | None]]
    ) -> None:
        """Compare with central differences, or say why not."""
        parts = self.explanation.leaves
        try:
            dtypes = [str(d) for node in self.path.nodes for d in _dtypes_of(node)]
            norms = [s.norm for s in self.steps.values() if s.norm is not None and math.isfinite(s.norm)]
            differences = Differences(self.path, dtypes, max(norms, default=0.0))
        except CannotReplay as reason:
            for part in parts:
                part.why_unchecked = str(reason)
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

    def jacobian(
        self, k: int, output: OutputPart, part: LeafPart, numbers: ndarray | None, refusal: str | None,
        gradient: ndarray | None,
    ) -> Jacobian:  # fmt: skip
        """Return the part about J of one output by one leaf."""
        shape = (*output.shape, *part.shape)
        title = (
            f"∂{output.name}{_indices(len(output.shape), 'ijpqrs')}/"
            f"∂{part.name}{_indices(len(part.shape), 'klmnuvw')}"
        )
        if numbers is not None:
            structure = of_numbers(numbers, output.shape, part.shape)
            return Jacobian(k, shape, title, structure, show(numbers.reshape(shape)))
        if refusal is None:
            return Jacobian(k, shape, title, "zero", None, f"{output.name} does not depend on {part.name}")
        structure = self.chain(part) if gradient is not None else "zero"
        return Jacobian(k, shape, title, structure, None, refusal)

    def chain(self, part: LeafPart) -> str:
        """Return the structure of J by the kinds of the ops between a leaf and the outputs."""
        above: dict[int, list[int]] = {}
        for arrow in self.explanation.arrows:
            above.setdefault(arrow.target, []).append(arrow.source)
        reached = {part.node}
        stack = [part.node]
        while stack:
            for source in above.get(stack.pop() or 0, ()):
                if source not in reached:
                    reached.add(source)
                    stack.append(source)
        outputs = self.explanation.outputs
        links = (
            step.structure or "dense"
            for step in self.explanation.steps
            if step.id in reached and step.kind != "leaf"
        )
        return of_chain(links, all(o.shape == part.shape for o in outputs))

    def add_contributions(
        self, k: int, rows: Sequence[ndarray | None], gradients: Sequence[ndarray | None],
        refusal: str | None,
    ) -> None:  # fmt: skip
        """Work out ``v[i]·J[i]`` for each element of one covector."""
        output = self.explanation.outputs[k]
        v = self.path.roots[k][1]
        parts = self.explanation.leaves
        if refusal is not None or v.size > MOST_CONTRIBUTIONS:
            why = refusal or f"v has {v.size:,} elements: too many to list what each contributes"
            for part in parts:
                part.why_no_contributions = part.why_no_contributions or why
            return
        products = self.products(k, rows, output)
        for part, jacobian, product, gradient in zip(parts, rows, products, gradients):
            if gradient is None or part.why_no_contributions is not None:
                continue
            listed = part.contributions if part.contributions is not None else []
            part.contributions = listed
            running = np.zeros(part.shape, gradient.dtype)
            if listed and listed[-1].running.array is not None:
                running = listed[-1].running.array
            if math.prod(part.shape) > LARGEST and v.size > 1:
                part.why_no_contributions = f"{part.name} has {math.prod(part.shape):,} elements"
                continue
            for position, index in enumerate(np.ndindex(v.shape)):
                place = _place_in(index, v.shape, output.shape)
                row = None if jacobian is None else jacobian[place]
                term = None if product is None else product[position]
                if row is None or term is None:
                    row = term = np.zeros(part.shape, gradient.dtype)
                running = running + term
                listed.append(
                    Contribution(k, index, v[index].item(), show(row), show(term), show(running))
                )

    @staticmethod
    def compare_sum(part: LeafPart, gradient: ndarray) -> tuple[str, bool]:
        """Return what is to be said where the contributions do not add up to the gradient, and whether they
        should: where all is finite.
        """
        assert part.contributions is not None  # the caller has looked
        total = part.contributions[-1].running.array
        if total is None:
            return "", False
        with np.errstate(all="ignore"):
            apart = ~np.isclose(widened(total), widened(gradient), 1e-2, 1e-3 * norm(gradient), True)
        if bool((apart & ~np.isfinite(widened(gradient))).any()):
            return (
                f"Some of {part.name}'s derivatives are infinite: 0 times infinity is NaN, so the single "
                "contributions do not add up there."
            ), False
        if bool(apart.any()):
            return (
                f"The contributions to {part.name} do not add up to its gradient: some backward on the way "
                "is not linear in the covector."
            ), True
        return "", False

    def products(
        self, k: int, rows: Sequence[ndarray | None], output: OutputPart
    ) -> list[ndarray | None]:
        """Return ``v[i]·J[i]`` per leaf, the elements of v first.

        The pullback is linear in v over the reals only: of a complex v each element is pulled back by itself.
        """
        v = self.path.roots[k][1]
        places = [_place_in(index, v.shape, output.shape) for index in np.ndindex(v.shape)]
        if v.dtype.kind in "cW":
            units = np.zeros((v.size, *output.shape), v.dtype)
            flat = units.reshape(v.size, math.prod(output.shape))
            for position, place in enumerate(places):
                flat[position, place] = v.reshape(-1)[position]
            return jacobians.rows_of(self.path, k, units, self.singly)[0]
        with np.errstate(all="ignore"):
            return [
                None if r is None
                else v.reshape(v.size, *(1,) * (r.ndim - 1)).astype(r.dtype) * r[places]
                for r in rows
            ]  # fmt: skip

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
            notes.append(
                "is_grads_batched: each row of v is pulled back by itself; shown here is their sum."
            )
        hooked = [step.name for node, step in self.steps.items() if _has_hooks(node)]
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
    for edge, g in call.roots:
        del edge
        if not isinstance(array_at_bottom(g), (ndarray, np.generic)):
            raise RuntimeError("explain needs numbers; inside vmap, grad or compile there are none yet")
    for y in call.outputs:
        if isinstance(y, TensorBase) and not isinstance(array_at_bottom(y), (ndarray, np.generic)):
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


def _has_hooks(node: Node) -> bool:
    hooks = node._hooks
    return hooks is not None and bool(hooks.tensor or hooks.pre or hooks.post)


def _dtypes_of(node: Node) -> list[Any]:
    dtypes = node._dtype if isinstance(node, MultiNode) else (node._dtype,)
    return [d for d in dtypes if d is not None]


def _at(node: Node, index: int) -> tuple[Any, Any]:
    """Return the shape and dtype of one result of a node."""
    return (node._shape[index], node._dtype[index]) if isinstance(node, MultiNode) else (
        node._shape, node._dtype
    )  # fmt: skip


def _indices(rank: int, letters: str) -> str:
    if not rank:
        return ""
    names = letters[:rank] if rank <= len(letters) else [f"{letters[0]}{d}" for d in range(rank)]
    return f"[{','.join(names)}]"


def _index(index: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a place in an array of a shape; a single number counts in C order."""
    if isinstance(index, tuple):
        return index
    return tuple(int(i) for i in np.unravel_index(index, shape)) if shape else ()


def _place_in(index: tuple[int, ...], shape: tuple[int, ...], small: tuple[int, ...]) -> int:
    """Return which element of an output an element of its covector belongs to, in C order; the output
    broadcasts to the covector.
    """
    if not small:
        return 0
    inner = index[len(shape) - len(small) :]
    return int(np.ravel_multi_index(tuple(0 if n == 1 else i for i, n in zip(inner, small)), small))


def _written(shape: Sequence[int]) -> str:
    return "×".join(map(str, shape)) if shape else "()"
