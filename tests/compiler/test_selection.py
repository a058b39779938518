"""A value is one number wherever it is computed, so what is compared, selected or counted with it agrees.

``x · s - c`` with c the rounded product is 0; with one rounding for both operations it would be what rounding
took away: a relu would let its covector pass, a floor would be -1, and the largest element of a row would
not be found among the elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch

from .agreement import CALLS

pytest.importorskip("llvmlite")

F = torch.nn.functional
ROWS, COLUMNS = 48, 40


def _embedded(y: Any) -> Any:
    table = torch.arange(3.0, dtype=y.dtype)
    return F.embedding((y.detach() >= 0).long() + (y.detach() > 0).long(), table[:, None]).sum(-1) * y


def _equal_to(word: str) -> Callable[[Any], Any]:
    def function(y: Any) -> Any:
        return torch.where(y == getattr(y, word)(-1, keepdim=True), y * 3, y)

    return function


#: Functions of (rows, columns) that compare, select, count or step.
CHOICES: dict[str, Callable[[Any], Any]] = {
    "amax": lambda y: y.amax(-1), "amin": lambda y: y.amin(-1), "amax over rows": lambda y: y.amax(0),
    "max of all": lambda y: y.max(), "min of all": lambda y: y.min(),
    "max": lambda y: y.max(-1).values, "min": lambda y: y.min(-1).values,
    "median": lambda y: y.median(-1).values, "topk": lambda y: y.topk(3)[0], "sort": lambda y: y.sort(-1)[0],
    "kthvalue": lambda y: y.kthvalue(4).values, "cummax": lambda y: y.cummax(-1).values,
    "argmax": lambda y: y * y.argmax(-1, keepdim=True), "argsort": lambda y: y * y.argsort(-1),
    "maximum": lambda y: torch.maximum(y, y.flip(-1)), "minimum": lambda y: torch.minimum(y, y.flip(0)),
    "fmax": lambda y: torch.fmax(y, y.flip(-1)), "equal to amax": _equal_to("amax"),
    "equal to amin": _equal_to("amin"),
    "count of the largest": lambda y: (y == y.amax(-1, True)).sum(-1) * y.sum(-1),
    "where": lambda y: torch.where(y >= 0, y * 2, y * 5), "masked_fill": lambda y: y.masked_fill(y > 0, 7.0),
    "max_pool": lambda y: F.max_pool2d(y[None, None], 2), "max_pool1d": lambda y: F.max_pool1d(y[None], 3),
    "clamp": lambda y: y.clamp(0, 0.5), "clamp from below": lambda y: y.clamp(min=0),
    "hardtanh": lambda y: F.hardtanh(y, 0.0, 1.0), "relu": lambda y: F.relu(y) + y, "relu6": F.relu6,
    "leaky_relu": lambda y: F.leaky_relu(y, 0.3), "threshold": lambda y: F.threshold(y, 0.0, 9.0),
    "elu": F.elu, "hardshrink": lambda y: F.hardshrink(y, 0.0), "softshrink": lambda y: F.softshrink(y, 0.0),
    "hardsigmoid": lambda y: F.hardsigmoid(6 * y - 3), "floor": lambda y: y.floor() + y,
    "ceil": lambda y: y.ceil() + y, "trunc": lambda y: (y + 1).trunc() + y,
    "round": lambda y: (y + 0.5).round() + y,
    "frac": lambda y: (y + 1).frac(), "remainder": lambda y: y.remainder(0.25),
    "fmod": lambda y: (y + 1).fmod(0.25), "floor_divide": lambda y: torch.floor_divide(y.detach(), 0.25) + y,
    "sign": lambda y: y.sign() + y, "abs": lambda y: y.abs(),
    "heaviside": lambda y: torch.heaviside(y.detach(), y.detach()) * y,
    "dist": lambda y: (y - y.amax(-1, keepdim=True)).abs().sum(-1),
    "norm": lambda y: y.norm(dim=-1), "embedding": _embedded,
    "gather": lambda y: y.gather(-1, (y.detach() > 0).long()), "logical": lambda y: y.logical_not() * (y + 1),
    "normalized": lambda y: y / (y.amax(-1, keepdim=True) - y.amin(-1, keepdim=True) + 1),
}  # fmt: skip


def _products(x: Any, s: Any, c: Any) -> Any:
    return x * s - c


def _difference(x: Any, s: Any, c: Any) -> Any:
    return torch.addcmul(-c, x, s)


#: What is chosen from: each is exactly 0 in places.
VALUES: dict[str, Callable[..., Any]] = {
    "product": _products, "addcmul": _difference,
}  # fmt: skip


def _gradients(out: Any, leaves: Any) -> list[Any]:
    weights = torch.arange(1, out.numel() + 1, dtype=out.dtype).cos().reshape(out.shape)
    return [g for g in torch.autograd.grad((out * weights).sum(), leaves, allow_unused=True) if g is not None]


def _given(dtype: Any, call: int) -> list[np.ndarray]:
    random = np.random.default_rng(call)
    x, s = (random.standard_normal(shape).astype(dtype) for shape in ((ROWS, COLUMNS), COLUMNS))
    # A third of the values is 0, the others are as they come.
    others = random.standard_normal((ROWS, COLUMNS))
    return [x, s, np.where(random.random((ROWS, COLUMNS)) < 1 / 3, x * s, others).astype(dtype)]


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("backward", ["a program of its own", "in the same program"])
def test_choices_are_eagers(backward: str, choice: str, value: str) -> None:
    def function(x: Any, s: Any, c: Any) -> Any:
        out = CHOICES[choice](VALUES[value](x, s, c))
        return (out, *_gradients(out, (x, s))) if backward == "in the same program" else out

    def results(run: Any, given: list[np.ndarray]) -> list[np.ndarray]:
        x, s, c = (torch.tensor(a).requires_grad_() for a in given)
        found = run(x, s, c)
        if backward != "in the same program":
            found = found, *_gradients(found, (x, s))
        return [t.detach().numpy() for t in found]

    dtype, tolerance = (np.float32, 2e-5) if backward == "in the same program" else (np.float64, 1e-12)
    compiled = torch.compile(function, backend="native")
    for call in range(CALLS):
        given = _given(dtype, call)
        for got, want in zip(results(compiled, given), results(function, given), strict=True):
            np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * max(1, abs(want).max()))
    assert compiled._native.eager_because is None


#: Functions of whole images that look for a value among those it was found among.
FINDS: dict[str, Callable[[Any], Any]] = {
    "amax": lambda y: y.amax(-1), "amin": lambda y: y.amin(-1), "amax of two": lambda y: y.amax((-2, -1)),
    "amin of images": lambda y: y.amin(0), "max": lambda y: y.max(-1).values, "max of all": lambda y: y.max(),
    "median": lambda y: y.median(-1).values, "topk": lambda y: y.topk(3)[0],
    "equal to amax": _equal_to("amax"), "distance": lambda y: y - y.amax(-1, keepdim=True),
    "norm": lambda y: y.norm(float("inf"), dim=-1), "log_softmax": lambda y: y.log_softmax(-1),
}  # fmt: skip


@pytest.mark.parametrize("shape", [(16, 8, 20), (16, 8, 6, 20)], ids=str)
@pytest.mark.parametrize("find", FINDS)
def test_what_is_found_in_a_batch_norm_is_found_again(find: str, shape: tuple[int, ...]) -> None:
    def step(x: Any, w: Any) -> Any:
        scaled = x * w
        normal = F.batch_norm(scaled, None, None, w.mean((0, *range(2, len(shape)))), training=True)
        out = FINDS[find](F.relu(normal) if find != "amin" else normal)
        return (out, *torch.autograd.grad((out * out).sum(), (x, w)))

    compiled = torch.compile(step, backend="native")
    for call in range(CALLS):
        random = np.random.default_rng(call)
        given = [torch.tensor(random.standard_normal(shape)).requires_grad_() for _ in range(2)]
        for got, want in zip(compiled(*given), step(*given), strict=True):
            a, b = got.detach().numpy(), want.detach().numpy()
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * abs(b).max())
