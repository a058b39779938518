"""Build the Jacobians of a call where they are small enough, and what each element of v contributes."""

import math
from collections.abc import Sequence

import numpy as np
from numpy import ndarray

from . import jacobian as jacobians
from .explanation import Contribution, Explanation, Jacobian, LeafPart, OutputPart
from .jacobian import of_chain, of_numbers
from .shown import LARGEST, norm, show, widened
from .walk import Path

#: Elements of a covector up to which each one's contribution is worked out.
MOST_CONTRIBUTIONS = 64


class Contributions:
    """Add J and the contributions to an explanation that has its outputs, leaves, steps and arrows."""

    def __init__(self, path: Path, explanation: Explanation) -> None:
        self.path = path
        self.explanation = explanation
        self.singly = False

    def add(self, gradients: Sequence[ndarray | None], singly: bool = False) -> list[list[ndarray | None]]:
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
                units = np.eye(rows, dtype=self.path.roots[k][1].dtype).reshape(rows, *output.shape)
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
                    return self.add(gradients, singly=True)
                remarks += [remark] if remark else []
        self.explanation.notes += remarks
        return built

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
                listed.append(Contribution(k, index, v[index].item(), show(row), show(term), show(running)))

    @staticmethod
    def compare_sum(part: LeafPart, gradient: ndarray) -> tuple[str, bool]:
        """Return what to say where contributions do not add up, and whether they should: all is finite."""
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

    def products(self, k: int, rows: Sequence[ndarray | None], output: OutputPart) -> list[ndarray | None]:
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
                None if r is None else v.reshape(v.size, *(1,) * (r.ndim - 1)).astype(r.dtype) * r[places]
                for r in rows
            ]  # fmt: skip


def _indices(rank: int, letters: str) -> str:
    if not rank:
        return ""
    names = letters[:rank] if rank <= len(letters) else [f"{letters[0]}{d}" for d in range(rank)]
    return f"[{','.join(names)}]"


def _place_in(index: tuple[int, ...], shape: tuple[int, ...], small: tuple[int, ...]) -> int:
    """Return which element of an output, in C order, an element of its (larger) covector belongs to."""
    if not small:
        return 0
    inner = index[len(shape) - len(small) :]
    return int(np.ravel_multi_index(tuple(0 if n == 1 else i for i, n in zip(inner, small)), small))
