"""Hold a Jacobian against central differences in float64.

``(f(x + h·e) - f(x - h·e)) / 2h`` for every element e of a small leaf gives all of J; for a larger one a
single direction gives one number that ``vᵀ·J`` must agree with. At a kink (relu at 0) the slopes to either
side differ, and a rule that takes any slope between them is right.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.locks import computed
from ..core.node import AccumulateGrad, Node, edge_target
from .explanation import Check
from .replay import CLOSE, ROUGH, CannotReplay, Replay, shape_at, work
from .shown import norm, widened
from .walk import Path

#: The step, by the size of what it is added to: errors of the formula and of rounding are then about equal.
STEP = 6e-6

#: Elements of the largest leaf whose every element is varied; and where J is one row, so that a single
#: direction tells as much.
MOST_COLUMNS = 32
MOST_COLUMNS_OF_A_ROW = 8

#: How many times as large as the smallest a gradient may be to be checked together with it.
MOST_APART = 1e3

#: Numbers that all runs of one check may move.
MOST_WORK = 6_000_000


class Differences:
    """Central differences of one path's outputs.

    `dtypes` are those of the values on the way, whose rounding J carries. `largest` is the largest norm of a
    covector on the way: where it cancels out, its rounding is left. Raises `CannotReplay` where the graph
    cannot be run forward again.
    """

    def __init__(self, path: Path, dtypes: Sequence[str], largest: float) -> None:
        self.work = work(path)
        if 5 * self.work > MOST_WORK:
            raise CannotReplay("the graph is too large to be run again for it")
        self.replay = Replay(path)
        self.path = path
        self.noise = 1e-2 * largest
        self.tolerance = max((CLOSE.get(d, ROUGH) for d in dtypes), default=CLOSE["float64"])

    @computed
    def here(self) -> Any:
        """Return the outputs as they are, without a step."""
        return self.replay.run({})

    def check(self, leaf: Node, gradient: ndarray, jacobians: Sequence[ndarray | None]) -> Check:
        """Compare vᵀ·J, or J per output (rows first) where that was built, with differences by a leaf.

        Raises `CannotReplay`.
        """
        if type(leaf) is not AccumulateGrad:
            raise CannotReplay("only leaves can be varied")
        value = self.replay.leaves[leaf]
        built = [j for j in jacobians if j is not None]
        real = value.dtype.kind == "f" and all(np.asarray(g).dtype.kind == "f" for _, g in self.path.roots)
        runs = 2 * value.size + 1
        rows = sum(len(j) for j in built)
        if (
            real
            and len(built) == len(self.path.roots)
            and value.size <= (MOST_COLUMNS_OF_A_ROW if rows == 1 else MOST_COLUMNS)
            and runs * self.work <= MOST_WORK
        ):
            return self._every_element(leaf, value, built)
        return self._one_direction(leaf, value, gradient)

    def _every_element(self, leaf: Node, value: ndarray, jacobians: Sequence[ndarray]) -> Check:
        flat = np.concatenate([j.reshape(len(j), value.size) for j in jacobians]).astype(np.float64)
        worst, agree, remark = 0.0, True, None
        scale = float(np.abs(flat[np.isfinite(flat)]).max(initial=0))
        for column, index in enumerate(np.ndindex(value.shape)):
            direction = np.zeros(value.shape)
            direction[index] = 1
            h = STEP * max(1.0, abs(float(value[index])))
            slopes = self._along({leaf: direction}, h)
            error, fits, kink = self._compare(flat[:, column], slopes, scale)
            worst = max(worst, error)
            agree = agree and fits
            if kink:
                place = f"[{','.join(map(str, index))}]" if index else ""
                remark = remark or f"at element {place or 'x'} is a kink: the slopes to either side differ"
        return Check(
            "central differences in float64", worst, agree, remark or _doubt(agree), _relative(worst, scale)
        )

    def _one_direction(self, leaf: Node, value: ndarray, gradient: ndarray) -> Check:
        draw = np.random.default_rng(720)
        direction = draw.standard_normal(value.shape)
        if value.dtype.kind in "cW":
            direction = direction + 1j * draw.standard_normal(value.shape)
        direction = direction / max(math.sqrt(float((np.abs(direction) ** 2).sum())), 1e-300)
        size = float(np.abs(value[np.isfinite(value)]).max(initial=1))
        slopes = self._along({leaf: direction}, STEP * max(1.0, size))
        weighted = tuple(self._weighted(s) for s in slopes)
        expected = np.asarray([float((np.conj(widened(gradient)) * direction).real.sum())])
        wide = widened(gradient)
        scale = math.sqrt(float((np.abs(wide) ** 2).sum()) / max(wide.size, 1))
        error, fits, kink = self._compare(expected, weighted, scale)
        remark = "there is a kink: the slopes to either side differ" if kink else None
        return Check(
            "central differences in float64 along one direction", error, fits, remark or _doubt(fits),
            _relative(error, scale),
        )  # fmt: skip

    def check_together(self, leaves: Sequence[Node], gradients: Sequence[ndarray]) -> Check | None:
        """Compare vᵀ·J of several leaves at once, along one direction in which each counts alike.

        None where it does not show that each of them is right: then each is to be checked by itself.
        """
        norms = [norm(g) for g in gradients]
        values = [self.replay.leaves[leaf] for leaf in leaves if type(leaf) is AccumulateGrad]
        real = all(v.dtype.kind == "f" for v in (*values, *map(widened, gradients)))
        if len(values) < max(2, len(leaves)) or not real or not 0 < max(norms) < MOST_APART * min(norms):
            return None
        draw = np.random.default_rng(720)
        directions = {}
        expected = 0.0
        for leaf, value, gradient, length in zip(leaves, values, gradients, norms):
            direction = draw.standard_normal(value.shape)
            direction = direction * (min(norms) / (length * norm(direction)))
            expected += float((widened(gradient) * direction).sum())
            directions[leaf] = direction
        size = max(float(np.abs(v[np.isfinite(v)]).max(initial=1)) for v in values)
        slopes = tuple(self._weighted(s) for s in self._along(directions, STEP * size))
        scale = min(n / math.sqrt(v.size) for n, v in zip(norms, values))
        error, fits, kink = self._compare(np.asarray([expected]), slopes, scale)
        if kink or not fits:
            return None
        method = "central differences in float64 in all leaves at once"
        return Check(method, error, True, None, _relative(error, scale))

    def _along(self, directions: dict[Node, ndarray], h: float) -> tuple[ndarray, ...]:
        """Return slopes behind, across and ahead of the outputs, one after the other."""
        here = self.here
        behind = self.replay.run({leaf: self.replay.leaves[leaf] - h * d for leaf, d in directions.items()})
        ahead = self.replay.run({leaf: self.replay.leaves[leaf] + h * d for leaf, d in directions.items()})
        with np.errstate(all="ignore"):
            return (
                _flat([(b - a) / h for a, b in zip(behind, here)]),
                _flat([(b - a) / (2 * h) for a, b in zip(behind, ahead)]),
                _flat([(b - a) / h for a, b in zip(here, ahead)]),
            )

    def _weighted(self, slopes: ndarray) -> ndarray:
        """Return the sum of slopes by the covectors."""
        total, start = 0.0, 0
        for edge, g in self.path.roots:
            v = widened(np.asarray(g))
            shape = shape_at(edge_target(edge))
            summed = v.reshape(-1, *shape).sum(0) if v.shape != shape else v
            part = slopes[start : start + summed.size]
            start += summed.size
            total += float((np.conj(summed).ravel() * part).real.sum())
        return np.asarray([total])

    def _compare(self, found: ndarray, slopes: tuple[ndarray, ...], scale: float) -> tuple[float, bool, bool]:
        """Return (largest error, whether all is right, whether there is a kink)."""
        behind, across, ahead = slopes
        if not (np.isfinite(across).all() and np.isfinite(found).all()):
            raise CannotReplay("values on the way are infinite or NaN")
        allowed = self.tolerance * max(scale, self.noise, float(np.abs(across).max(initial=0))) + 1e-8
        errors = np.abs(found - across)
        low, high = np.minimum(behind, ahead) - allowed, np.maximum(behind, ahead) + allowed
        # Where f is smooth the two differ by h·f'' only.
        kinks = (errors > allowed) & (np.abs(ahead - behind) > 0.5 * errors)
        right = (errors <= allowed) | (kinks & (found >= low) & (found <= high))
        return float(errors.max(initial=0)), bool(right.all()), bool(kinks.any())


def _relative(error: float, largest: float) -> float | None:
    return error / largest if 0 < largest < math.inf else None


def _doubt(agree: bool) -> str | None:
    """Say what a disagreement may mean."""
    if agree:
        return None
    return (
        "Either a rule on the way is not the derivative by design (padding_idx, a clipped or "
        "straight-through gradient), or a value was changed behind autograd's back (.data), or here J varies "
        "very fast."
    )


def _flat(parts: Sequence[ndarray]) -> ndarray:
    return np.concatenate([np.asarray(p).ravel() for p in parts]) if parts else np.zeros(0)
