"""Define L-BFGS: quasi-Newton steps from the last few changes of the gradient.

A step length satisfies the strong Wolfe conditions, by bracketing and cubic interpolation:
Nocedal & Wright, Numerical Optimization (2nd ed.), algorithms 3.5 and 3.6, with the safeguards of Schmidt's
minFunc, which torch uses too: the number of evaluations and every trial point are torch's.

Slopes are NumPy scalars of the parameters' dtype, and so is a step length that was interpolated: this
arithmetic rounds as that of torch's tensors without dimensions does, but for the square root, which MKL
gives torch from an estimate of the processor's with one bit wrong in a fifth of all cases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..array.named_tuples import NamedTuple
from ..autograd.grad_mode import enable_grad, no_grad
from ..core import backend
from ..core.value import wrap
from ..tensor.complex_parts import view_as_real
from ..tensor.join import cat
from ..tensor.tensor import Tensor
from .checks import check_lr
from .closures import Closures
from .optimizer import Optimizer
from .vectors import Pairs, add_scaled, dot, number, recursion, size, tensor_of

#: Sufficient decrease, and how much of the slope may be left.
DECREASE, CURVATURE = 1e-4, 0.9

#: A bracket narrower than this, in the largest change of a parameter, is not searched further.
NARROW = 1e-9


class Point(NamedTuple):
    """A step length tried: the loss there, its gradient, and the slope along the direction."""

    step: float
    loss: float
    gradient: Any
    slope: float


def cubic_minimum(p: Point, q: Point, low: float, high: float) -> float:
    """Return where the cubic through two points and slopes is lowest within bounds; else their middle."""
    left, right = (p, q) if p.step <= q.step else (q, p)
    d1 = p.slope + q.slope - _quotient(3 * (p.loss - q.loss), p.step - q.step)
    squared = d1 * d1 - p.slope * q.slope
    if not squared >= 0:
        return (low + high) / 2.0
    d2 = np.sqrt(squared)
    if not (across := right.slope - left.slope + 2 * d2):
        return (low + high) / 2.0
    at = right.step - (right.step - left.step) * ((right.slope + d2 - d1) / across)
    return min(max(at, low), high)


def _quotient(x: float, y: Any) -> Any:
    """Return x / y, where torch divides a number by a tensor as ``x·(1/y)``."""
    return x * (1 / y) if isinstance(y, np.floating) else x / y


def strong_wolfe(
    evaluate: Callable[[float], tuple[float, Any]], step: float, direction: Any, start: Point,
    most: int = 25, decrease: float = DECREASE, curvature: float = CURVATURE, narrow: float = NARROW,
) -> tuple[float, Any, float, int]:
    """Search along a flat direction; return loss, gradient, step length and the number of evaluations.

    `evaluate` gives loss and flat gradient at a step length, of which `step` is the first that is tried and
    `start` is that of length 0. There may be `most` further evaluations. `decrease` and `curvature` are the
    constants of the two conditions; a change of the parameters as small as `narrow` ends the search.
    """

    def at(length: float) -> Point:
        with np.errstate(**outside):
            loss, gradient = evaluate(length)
        return Point(length, loss, gradient, number(dot(gradient, direction)))

    outside = np.geterr()
    with np.errstate(all="ignore"):
        best, evaluations = _search(
            at, step, number(direction.abs().max()), start, most, decrease, curvature, narrow
        )
    return best.loss, best.gradient, best.step, evaluations


def _search(
    at: Callable[[float], Point], step: float, reach: float, start: Point, most: int, decrease: float,
    curvature: float, narrow: float,
) -> tuple[Point, int]:  # fmt: skip
    """Return `strong_wolfe` with the points themselves; `reach` is the direction's largest element."""

    def too_high(point: Point) -> bool:
        return point.loss > start.loss + decrease * point.step * start.slope

    before, new = start, at(step)
    tries = 0
    bracket: list[Point] | None = None
    while tries < most:
        if too_high(new) or (tries > 1 and new.loss >= before.loss):
            bracket = [before, new]
            break
        if abs(new.slope) <= -curvature * start.slope:
            return new, tries + 1
        if new.slope >= 0:
            bracket = [before, new]
            break
        length = cubic_minimum(before, new, new.step + 0.01 * (new.step - before.step), new.step * 10)
        before, new = new, at(length)
        tries += 1
    if bracket is None:
        bracket = [start, new]
    low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
    stuck = False
    while tries < most:
        ends = sorted((bracket[0].step, bracket[1].step))
        width = ends[1] - ends[0]
        if width * reach < narrow:
            break
        length = cubic_minimum(bracket[0], bracket[1], *ends)
        # Too near an end twice running, or beyond it: a tenth of the width away from that end instead.
        if min(ends[1] - length, length - ends[0]) < 0.1 * width:
            if stuck or length >= ends[1] or length <= ends[0]:
                near_upper = abs(length - ends[1]) < abs(length - ends[0])
                length = ends[1] - 0.1 * width if near_upper else ends[0] + 0.1 * width
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        new = at(length)
        tries += 1
        if too_high(new) or new.loss >= bracket[low].loss:
            bracket[high] = new
            low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
            continue
        done = abs(new.slope) <= -curvature * start.slope
        if not done and new.slope * (bracket[high].step - bracket[low].step) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = new
        if done:
            break
    return bracket[low], tries + 1


#: The names of the history in a state dict.
HISTORY = ("old_dirs", "old_stps", "ro", "H_diag")


class LBFGS(Optimizer):
    """L-BFGS (Liu & Nocedal 1989), all parameters as one vector.

    With s = p′ − p, y = g′ − g and ϱ = 1/(yᵀs) of the last `history_size` steps, the direction d = −H·g comes
    from the two-loop recursion (Nocedal & Wright, algorithm 7.4), with H₀ = yᵀs/(yᵀy)·I; then p ← p + t·d,
    with t the learning rate or, with ``line_search_fn="strong_wolfe"``, a step length searched for.

    Up to 8,192 float32 parameters the vectors' sums are rounded in torch's order, so that a run without line
    search takes torch's steps to the last bit where the closure's gradients are torch's (on AMD's processors:
    on Intel's MKL adds torch's dot products in other orders).

    `step` needs a closure that clears the gradients, computes the loss, calls backward and returns the loss.
    """

    def __init__(
        self, params: Any, lr: Any = 1, max_iter: int = 20, max_eval: int | None = None,
        tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        check_lr(lr)
        super().__init__(params, {
            "lr": lr, "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change,
            "history_size": history_size, "line_search_fn": line_search_fn,
        })
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]
        self._pairs = Pairs()
        self._closures = Closures()

    # --- all parameters as one vector -----------------------------------------------------------------------

    def _flat_gradient(self) -> Any:
        parts = []
        for p in self._params:
            g = p.new_zeros(p.numel()) if p.grad is None else p.grad.to_dense().reshape(-1)
            parts.append(view_as_real(g).reshape(-1) if g.is_complex() else g)
        return cat(parts, 0)

    def _move(self, length: Any, direction: Any) -> None:
        offset = 0
        for p in self._params:
            p = view_as_real(p) if p.is_complex() else p
            count = p.numel()
            add_scaled(p, direction[offset : offset + count].view_as(p), length)
            offset += count

    # --- the step -------------------------------------------------------------------------------------------

    @no_grad()
    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]  # it must have one, as in torch
        """Take up to `max_iter` steps; return the loss at the beginning."""
        group = self.param_groups[0]
        lr = group["lr"].squeeze() if isinstance(group["lr"], Tensor) else group["lr"]
        closure = enable_grad()(self._closures.native(closure) if backend.compiles_parts.get() else closure)
        # One state for all parameters; it is under the first, as in torch's state dicts.
        state = self.state[self._params[0]]
        first = closure()
        loss, gradient, evaluations = float(first), self._flat_gradient(), 1
        state["func_evals"] = state.get("func_evals", 0) + 1
        state.setdefault("n_iter", 0)
        if gradient.abs().max() <= group["tolerance_grad"]:
            return first

        direction, length = state.get("d"), state.get("t")
        history = _History(self._pairs, *map(state.get, HISTORY))
        last_gradient, last_loss = state.get("prev_flat_grad"), state.get("prev_loss")
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                direction = gradient.neg()
                history = _History(self._pairs, [], [], [], 1)
            else:
                history.take(gradient.sub(last_gradient), direction.mul(length), group["history_size"])
                weights = state.setdefault("al", [None] * group["history_size"])
                direction = history.direction(gradient, weights)
            last_gradient = gradient.clone() if last_gradient is None else last_gradient.copy_(gradient)
            last_loss = loss
            length = min(1.0, 1.0 / size(gradient)) * lr if state["n_iter"] == 1 else lr
            if (slope := dot(gradient, direction)) > -group["tolerance_change"]:
                break

            fresh = 0
            if group["line_search_fn"] is not None:
                start = Point(0, loss, gradient, number(slope))
                loss, gradient, length, fresh = self._searched(
                    closure, direction, length, start, group["max_eval"] - evaluations
                )
            self._move(length, direction)
            # After the last step the loss is not asked for: the next call of `step` begins with it.
            if group["line_search_fn"] is None and iteration != group["max_iter"]:
                loss, gradient, fresh = float(closure()), self._flat_gradient(), 1
            evaluations += fresh
            state["func_evals"] += fresh
            if (
                iteration == group["max_iter"]
                or evaluations >= group["max_eval"]
                or gradient.abs().max() <= group["tolerance_grad"]
                or direction.mul(length).abs().max() <= group["tolerance_change"]
                or abs(loss - last_loss) < group["tolerance_change"]
            ):
                break

        kept = zip(HISTORY, (history.changes, history.steps, history.inverses, history.scale), strict=True)
        state |= {"d": direction, "t": length, **dict(kept)}
        state |= {"prev_flat_grad": last_gradient, "prev_loss": last_loss}
        if history.weights is not None:
            state["al"][: len(history.weights)] = [wrap(np.asarray(w)) for w in history.weights]
        return first

    def _searched(
        self, closure: Callable[[], Any], direction: Any, length: Any, start: Point, most: int
    ) -> tuple[float, Any, Any, int]:
        """Return loss, gradient and length of the step that a line search finds, and how often it looked."""
        if self.param_groups[0]["line_search_fn"] != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        loss, gradient, found, count = strong_wolfe(
            self._along(closure, direction), number(length), direction, start, most
        )
        return loss, gradient, tensor_of(found), count

    def _along(self, closure: Callable[[], Any], direction: Any) -> Callable[[float], tuple[float, Any]]:
        """Return the loss and gradient by the step length along a direction; the parameters do not move."""
        here = [p.clone() for p in self._params]

        def evaluate(length: float) -> tuple[float, Any]:
            self._move(length, direction)
            loss = float(closure())
            gradient = self._flat_gradient()
            for p, value in zip(self._params, here, strict=True):
                p.copy_(value)
            return loss, gradient

        return evaluate


@dataclass
class _History:
    """The last steps s and changes of the gradient y, with 1/(yᵀs), and the scale yᵀs/(yᵀy) of H₀."""

    pairs: Pairs
    changes: list[Any]
    steps: list[Any]
    inverses: list[Any]
    scale: Any
    #: The weights of the last recursion on arrays.
    weights: Any = None

    def take(self, y: Any, s: Any, size: int) -> None:
        """Add a pair if the curvature is positive; forget the oldest of `size`."""
        product = dot(y, s)
        if not product > 1e-10:
            return
        if len(self.changes) == size:
            for values in (self.changes, self.steps, self.inverses):
                values.pop(0)
            self.pairs.keep(self.steps, self.changes)
        self.changes.append(y)
        self.steps.append(s)
        self.inverses.append(1.0 / product)
        self.scale = product / dot(y, y)

    def direction(self, gradient: Any, weights: list[Any]) -> Any:
        """Return −H·g by the two-loop recursion; `weights` keeps the numbers of the first loop."""
        found = recursion(gradient, self.steps, self.changes, self.inverses, self.scale, self.pairs)
        if found is not None:
            self.weights = found[1]
            return found[0]
        q = gradient.neg()
        for i in reversed(range(len(self.changes))):
            weights[i] = dot(self.steps[i], q) * self.inverses[i]
            add_scaled(q, self.changes[i], -weights[i])
        d = q.mul(self.scale)
        for i in range(len(self.changes)):
            add_scaled(d, self.steps[i], weights[i] - dot(self.changes[i], d) * self.inverses[i])
        return d


def _cubic_interpolate(
    x1: Any, f1: Any, g1: Any, x2: Any, f2: Any, g2: Any, bounds: tuple[Any, Any] | None = None
) -> float:
    """Return `cubic_minimum` under torch's name and signature, which libraries import."""
    low, high = (x1, x2) if x1 <= x2 else (x2, x1)
    if bounds is not None:
        low, high = bounds
    p, q = Point(float(x1), float(f1), None, float(g1)), Point(float(x2), float(f2), None, float(g2))
    return cubic_minimum(p, q, float(low), float(high))


def _strong_wolfe(
    obj_func: Callable[[Any, float, Any], tuple[Any, Any]], x: Any, t: Any, d: Any, f: Any, g: Any, gtd: Any,
    c1: float = DECREASE, c2: float = CURVATURE, tolerance_change: float = NARROW, max_ls: int = 25,
) -> tuple[Any, Any, Any, int]:  # fmt: skip
    """Return `strong_wolfe` under torch's name and signature, which libraries import."""
    start = Point(0, float(f), g.clone(), number(gtd))
    loss, gradient, step, evaluations = strong_wolfe(
        lambda length: obj_func(x, tensor_of(length), d), number(t), d, start, max_ls, c1, c2,
        tolerance_change,
    )  # fmt: skip
    return loss, gradient, tensor_of(step), evaluations
