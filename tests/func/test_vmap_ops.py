"""vmap of public functions whose rows need more than a batching rule of one op, against loops."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.core.batched import FALLBACKS
from pullback.func import grad, vmap
from pullback.nn import functional

_rng = np.random.default_rng(11)
SIZE = 3


def _normal(*shape: int) -> Any:
    return torch.tensor(_rng.normal(size=shape))


def _written(x: Any, v: Any) -> Any:
    y = x.clone()
    y[0] = v
    y[:, 1] += 2
    y.t()[0].mul_(3)
    y.view(-1)[1:3] = 7
    return y


def _filled(x: Any) -> Any:
    y = torch.zeros_like(x)
    y[0] = x[1]
    y[1:] += x[:1] ** 2
    return y


def _embedding_gradient(indices: Any, weight: Any) -> Any:
    return grad(lambda w: (functional.embedding(indices, w) ** 2).sum())(weight)


def _put_added(x: Any, places: Any, source: Any) -> Any:
    return torch.put(x, places, source, accumulate=True)


PLACES = torch.tensor([2, 0])
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "baddbmm": (
        lambda a, b, c: torch.baddbmm(a, b, c, beta=0.5, alpha=2),
        (_normal(2, 3, 4), _normal(2, 3, 5), _normal(2, 5, 4)),
    ),
    "baddbmm of a vector": (torch.baddbmm, (_normal(4), _normal(2, 3, 5), _normal(2, 5, 4))),
    "addmv": (torch.addmv, (_normal(3), _normal(3, 4), _normal(4))),
    "addr": (torch.addr, (_normal(3, 4), _normal(3), _normal(4))),
    "addbmm": (torch.addbmm, (_normal(3, 4), _normal(2, 3, 5), _normal(2, 5, 4))),
    "take": (torch.take, (_normal(3, 4), torch.tensor([[-1, 2], [3, 11]]))),
    "put": (torch.put, (_normal(3, 4), torch.tensor([0, -1]), _normal(2))),
    "put added": (_put_added, (_normal(3, 4), torch.tensor([0, 0]), _normal(2))),
    "index_select": (lambda x, i: torch.index_select(x, 1, i), (_normal(3, 3, 3), PLACES)),
    "index_add": (
        lambda x, i, s: torch.index_add(x, -1, i, s, alpha=2),
        (_normal(3, 3), torch.tensor([1, 2, 1]), _normal(3, 3)),
    ),
    "index_copy": (
        lambda x, i, s: torch.index_copy(x, 0, i, s),
        (_normal(3, 3), torch.tensor([2, 0, 1]), _normal(3, 3)),
    ),
    "index_fill": (lambda x, i: torch.index_fill(x, 1, i, 5.0), (_normal(3, 3), PLACES)),
    "index_fill by a tensor": (
        lambda x, i, v: torch.index_fill(x, 0, i, v),
        (_normal(3, 3), PLACES, _normal()),
    ),
    "embedding": (functional.embedding, (torch.tensor([[0, 2], [1, 1]]), _normal(4, 5))),
    "gradient of an embedding": (_embedding_gradient, (torch.tensor([0, 1, 0]), _normal(4, 5))),
    "searchsorted": (torch.searchsorted, (torch.arange(5.0), torch.tensor([[2.5, 0.3]]))),
    "searchsorted in rows": (
        torch.searchsorted,
        (torch.stack([torch.arange(5.0)] * 2), torch.tensor([[2.5], [0.3]])),
    ),
    "writes through views": (_written, (_normal(2, 2), _normal(2))),
    "writes into zeros": (_filled, (_normal(3),)),
    "isclose": (torch.isclose, (_normal(3), _normal(3))),
    "one_hot": (lambda x: functional.one_hot(x, 4), (PLACES,)),
    "quantile": (lambda x: torch.quantile(x, 0.3), (_normal(5),)),
    "quantiles": (
        lambda x: torch.quantile(x, torch.tensor([0.2, 0.9]).double(), dim=1), (_normal(2, 5),)
    ),
    "nanquantile": (
        lambda x: torch.nanquantile(x, 0.4, dim=0),
        (torch.tensor([[1.0, np.nan], [3.0, 2.0], [0.5, 4.0]]),),
    ),
    "nearest quantile": (lambda x: torch.quantile(x, 0.3, interpolation="nearest"), (_normal(5),)),
}


def _rows(x: Any) -> Any:
    """Different rows: floats shifted, places the same."""
    return torch.stack([x + 0.1 * k if x.is_floating_point() else x for k in range(SIZE)])


@pytest.mark.parametrize("name", CASES)
def test_against_a_loop(name: str) -> None:
    function, inputs = CASES[name]
    for which in itertools.product([False, True], repeat=len(inputs)):
        if not any(which) or (name == "writes through views" and not which[0]):
            continue
        batched = [_rows(x) if mapped else x for x, mapped in zip(inputs, which, strict=True)]
        before = FALLBACKS.total()
        got = vmap(function, in_dims=tuple(0 if mapped else None for mapped in which))(*batched)
        assert FALLBACKS.total() == before
        want = [
            function(*(b[k] if mapped else b for b, mapped in zip(batched, which, strict=True)))
            for k in range(SIZE)
        ]
        np.testing.assert_allclose(got.numpy(), torch.stack(want).numpy(), rtol=1e-12)


def test_rows_of_no_axes_meet_as_scalars_do() -> None:
    rows = torch.ones(2, dtype=torch.float64)
    assert vmap(lambda s, x: s * x, in_dims=(0, None))(rows, torch.ones(2)).dtype == torch.float32
    assert vmap(lambda s: s * torch.tensor(2.0, dtype=torch.float64))(torch.ones(2)).dtype == torch.float64


def test_detach_reaches_every_level() -> None:
    twice = grad(grad(lambda x: x.detach() * x * x))
    assert twice(torch.tensor(3.0)).item() == 6.0


def test_a_nested_write_through_a_view_is_seen_by_all_views() -> None:
    def f(x: Any) -> Any:
        y = torch.zeros(3)
        v = y[1:]
        v.copy_(x)
        w = v * 1
        v.mul_(x)
        return y.sum() + w.sum()

    x = torch.tensor([3.0, 5.0])
    assert grad(f)(x).tolist() == [7.0, 11.0]
    assert torch.func.jvp(f, (x,), (torch.ones(2),))[1].item() == 18.0
    assert torch.func.hessian(f)(x).tolist() == [[2.0, 0.0], [0.0, 2.0]]
