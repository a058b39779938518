"""Numbers that eager refuses, compiled: the same error, whether or not the result is read."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.core.op import TABLE
from pullback.core.value import run
from pullback.ops.refusing import REFUSING
from tests.ops import capabilities

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")

F = torch.nn.functional
Case = Callable[[Any, Any], Any]


def _spread(i: Any) -> Any:
    return i[:, None].expand(2, 3)


def _assigned(w: Any, i: Any) -> Any:
    w = w * 1
    w[i] = 1.0
    return w


BY_INDEX: dict[str, Case] = {
    "embedding": lambda w, i: F.embedding(i, w),
    "index_select": lambda w, i: w.index_select(0, i),
    "one index": lambda w, i: w[i],
    "two indices": lambda w, i: w[i, i],
    "assignment": _assigned,
    "take_along_dim": lambda w, i: torch.take_along_dim(w, _spread(i), 0),
    "gather": lambda w, i: w.gather(0, _spread(i)),
    "take": lambda w, i: w.take(i * 10),
    "put": lambda w, i: w.put(i * 10, torch.ones(2)),
    "scatter": lambda w, i: w.scatter(0, _spread(i), torch.ones(2, 3)),
    "scatter of a number": lambda w, i: w.scatter(0, _spread(i), 2.0),
    "scatter_add": lambda w, i: w.scatter_add(0, _spread(i), torch.ones(2, 3)),
    "scatter_reduce": lambda w, i: w.scatter_reduce(0, _spread(i), torch.ones(2, 3), "amax"),
    "index_add": lambda w, i: w.index_add(0, i, torch.ones(2, 3)),
    "index_copy": lambda w, i: w.index_copy(0, i, torch.ones(2, 3)),
    "index_fill": lambda w, i: w.index_fill(0, i, 1.0),
    "index_put": lambda w, i: w.index_put((i,), torch.ones(2, 3)),
    "index_put, added": lambda w, i: w.index_put((i,), torch.ones(2, 3), accumulate=True),
    "nll_loss": lambda w, i: F.nll_loss(w[:2], i),
    "nll_loss of each": lambda w, i: F.nll_loss(w[:2], i, reduction="none"),
    "nll_loss, weighed": lambda w, i: F.nll_loss(w[:2], i, weight=torch.ones(3)),
    "cross_entropy": lambda w, i: F.cross_entropy(w[:2], i),
    "multi_margin_loss": lambda w, i: F.multi_margin_loss(w[:2], i),
    "max_unpool1d": lambda w, i: F.max_unpool1d(w[None, 0, :2], i[None], 2),
    "max_unpool2d": lambda w, i: F.max_unpool2d(w[None, None, 0, :2], i[None, None], (1, 2)),
    "one_hot": lambda w, i: F.one_hot(i, 5)[:, :3] * w[:2],
}
BY_NUMBER: dict[str, Case] = {
    "floor_divide": lambda w, i: (i // (i - i)).sum() + w.sum(),
    "remainder": lambda w, i: (i % (i - i)).sum() + w.sum(),
    "fmod": lambda w, i: torch.fmod(i, i - i).sum() + w.sum(),
    "div, cut": lambda w, i: torch.div(i, i - i, rounding_mode="trunc").sum() + w.sum(),
    "inv": lambda w, i: torch.linalg.inv(w[:3] * 0),
    "solve": lambda w, i: torch.linalg.solve(w[:3] * 0, w[:3]),
    "cholesky": lambda w, i: torch.linalg.cholesky(w[:3] * 0 - torch.eye(3)),
    "eigh": lambda w, i: torch.linalg.eigh(w[:3] * math.nan)[0],
    "svdvals": lambda w, i: torch.linalg.svdvals(w[:3] * math.nan),
    "binary_cross_entropy": lambda w, i: F.binary_cross_entropy(w.abs() + 2, w * 0 + 1),
    "gaussian_nll_loss": lambda w, i: F.gaussian_nll_loss(w, w + 1, w.abs() - 9),
    "gaussian_nll_loss of halves": lambda w, i: F.gaussian_nll_loss(w.half(), w.half(), w.abs().half() - 9),
    "gaussian_nll_loss of whole numbers": lambda w, i: F.gaussian_nll_loss(w[:2], w[:2], i[:, None] - 9),
    "binary_cross_entropy of NaN": lambda w, i: F.binary_cross_entropy(w * math.nan, w * 0 + 1),
    "binary_cross_entropy of halves": lambda w, i: F.binary_cross_entropy(w.half() + 9, (w * 0).half()),
}


def _read(case: Case) -> Case:
    return case


def _not_read(case: Case) -> Case:
    def function(w: Any, i: Any) -> Any:
        case(w, i)
        return w * 2

    return function


def _pulled_back(case: Case) -> Case:
    def function(w: Any, i: Any) -> Any:
        w = w.detach().requires_grad_()
        case(w, i).sum().backward()
        return w.grad

    return function


def _in_a_loop(case: Case) -> Case:
    def function(w: Any, i: Any) -> Any:
        for _ in range(24):
            case(w, i)
            w = w * 1.01
        return w

    return function


FORMS = (_read, _not_read, _pulled_back, _in_a_loop)


def _raised(function: Case, *args: Any) -> tuple[type, str]:
    with pytest.raises((IndexError, RuntimeError, ValueError)) as caught, np.errstate(all="ignore"):
        function(*args)
    return type(caught.value), str(caught.value)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("name", BY_INDEX)
def test_an_index_out_of_range(name: str, form: Callable[[Case], Case]) -> None:
    torch.manual_seed(0)
    w, good = torch.randn(5, 3), torch.tensor([0, 1])
    function = form(BY_INDEX[name])
    compiled = torch.compile(function, backend="native")
    torch.testing.assert_close(compiled(w, good), function(w, good))
    assert compiled._native.eager_because is None
    for bad in (torch.tensor([0, 7]), torch.tensor([0, -9])):
        assert _raised(compiled, w, bad) == _raised(function, w, bad)
    torch.testing.assert_close(compiled(w, good), function(w, good))


@pytest.mark.parametrize("form", FORMS[:3], ids=lambda form: form.__name__)
@pytest.mark.parametrize("name", BY_NUMBER)
def test_a_number_that_is_refused(name: str, form: Callable[[Case], Case]) -> None:
    torch.manual_seed(0)
    function = form(BY_NUMBER[name])
    compiled = torch.compile(function, backend="native")
    args = torch.randn(5, 3), torch.tensor([3, 1])
    assert _raised(compiled, *args) == _raised(function, *args)
    assert compiled._native.eager_because is None


def test_a_scatter_without_its_gather_is_checked() -> None:
    def function(g: Any, i: Any) -> Any:
        return run(TABLE["embedding_backward"], (g, i), (5, -1, False))

    compiled = torch.compile(function, backend="native")
    g = torch.ones(2, 3)
    torch.testing.assert_close(compiled(g, torch.tensor([1, 4])), function(g, torch.tensor([1, 4])))
    for bad in ([0, 5], [0, -1000]):
        with pytest.raises((IndexError, ValueError)):
            compiled(g, torch.tensor(bad))


def test_an_operation_on_floats_that_nobody_reads_is_left_out() -> None:
    compiled = torch.compile(lambda x: (x // 2 * x % 3, x + 1)[1], backend="native")
    compiled(torch.ones(3))
    (one,) = compiled._native.specializations
    assert [e.op for e in one.captured.program.equations] == ["add"]


#: Places that an op of the same program computed.
OWN_PLACES = frozenset({
    "column_winners", "column_winners_adjoint", "gather_planes", "gather_windows", "scatter_planes",
    "scatter_windows", "winner_indices",
})  # fmt: skip
#: Kernels whose places have been looked at before: a wrong one may be other memory, or raises there.
TRUSTING = frozenset({
    "embedding_bag", "embedding_bag_adjoint", "embedding_bag_sparse", "entries_product", "linalg_ldl_solve",
    "linalg_lu_solve",
})  # fmt: skip


def _raises(op: Any, inputs: list[Any], attrs: tuple[Any, ...]) -> bool:
    with np.errstate(all="ignore"):
        try:
            op.evaluate(tuple(inputs), attrs)
        except (IndexError, RuntimeError, TypeError, ValueError):
            return True
    return False


def test_ops_that_refuse_integers_are_known() -> None:
    """Of every op sample: an op that raises for large indices, or for zeros, is in the table."""
    unknown = set()
    for row in capabilities.ROWS:
        op, inputs = TABLE[row.op], list(row.inputs)
        if op.draws or op.name in TRUSTING | OWN_PLACES | REFUSING.keys():
            continue
        if op.kind == "elementwise" and op.promote == "same" and "y" in op.inputs:
            inputs = [np.ones(v.shape, np.int64) if capabilities.is_array(v) else v for v in inputs]
        for k, v in enumerate(inputs):
            if capabilities.is_array(v) and v.dtype.kind == "i" and v.size:
                others = ([*inputs[:k], np.full_like(v, n), *inputs[k + 1 :]] for n in (10**6, 0))
                if any(_raises(op, o, row.attrs) for o in others) and not _raises(op, inputs, row.attrs):
                    unknown.add(op.name)
    assert not unknown


def test_the_table_of_refusing_ops_names_inputs() -> None:
    importlib.import_module("pullback.nn.functional")
    assert capabilities.ROWS
    for name, (given, _) in REFUSING.items():
        assert given in TABLE[name].inputs, name
