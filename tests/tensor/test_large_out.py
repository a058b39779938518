"""Large results go straight into `out` where nothing tells, and by a copy, with torch's errors, elsewhere."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pullback
from pullback.array import large, strided_loops, threads
from pullback.tensor import operators, read_calls

pytest.importorskip("llvmlite")
_ROWS, _COLUMNS = 600, 900


@pytest.fixture(autouse=True)
def hot_and_on_three_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = threads.get_num_threads()
    threads.set_num_threads(3)
    monkeypatch.setattr(strided_loops._HOTNESS, "_is_due", True)
    assert large.source().strided  # compiled by now
    yield
    threads.set_num_threads(before)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list of what was asked of `written_at_once`."""
    found: list[bool] = []
    write = operators.written_at_once

    def noted(*given: Any) -> bool:
        found.append(write(*given))
        return found[-1]

    for module in (operators, read_calls):
        monkeypatch.setattr(module, "written_at_once", noted)
    return found


def _operands(library: Any) -> tuple[Any, ...]:
    x, y, z = np.random.default_rng(0).standard_normal((3, _ROWS, _COLUMNS)).astype("f4")
    return tuple(library.from_numpy(v.copy()) for v in (x, y, z))


Call = Callable[[Any, Any, Any, Any], Any]
DIRECT: dict[str, Call] = {
    "sum": lambda t, x, y, z: t.add(x, y, out=z),
    "difference from a number": lambda t, x, y, z: t.sub(x, 2.5, out=z),
    "by a row": lambda t, x, y, z: t.mul(x, y[0].clone(), out=z),
    "column and row": lambda t, x, y, z: t.maximum(x[:, :1].clone(), y[0].clone(), out=z),
    "of one": lambda t, x, y, z: t.neg(x, out=z),
    "over an operand": lambda t, x, y, z: t.add(x, y, out=x),
    "over both": lambda t, x, y, z: t.mul(x, x, out=x),
    "transposed": lambda t, x, y, z: t.add(
        x.t().contiguous().t().clone(memory_format=t.preserve_format), y, out=z
    ),
}
OTHERWISE: dict[str, Call] = {
    "other dtype": lambda t, x, y, z: t.add(x, y, out=z.double()),
    "no such cast": lambda t, x, y, z: t.add(x, y, out=z.long()),
    "comparison": lambda t, x, y, z: t.lt(x, y, out=z),
    "resized": lambda t, x, y, z: t.add(x, y, out=z.new_zeros(700_000)),
    "shifted": lambda t, x, y, z: t.add(x.view(-1)[1:], y.view(-1)[1:], out=x.view(-1)[:-1]),
    "row of the result": lambda t, x, y, z: t.add(x[0], y, out=x),
    "transposed result": lambda t, x, y, z: t.add(x, y, out=z.new_zeros(_COLUMNS, _ROWS).t()),
    "expanded result": lambda t, x, y, z: t.add(x, y, out=z[:1].expand(_ROWS, _COLUMNS)),
    "recorded": lambda t, x, y, z: t.add(x.requires_grad_(), y, out=z),
    "leaf": lambda t, x, y, z: t.add(x, y, out=z.requires_grad_()),
    "no dtype of the op": lambda t, x, y, z: t.bitwise_and(x, y, out=z),
    "shapes that do not fit": lambda t, x, y, z: t.mul(x, y[:, :7], out=z),
}


def _outcome(library: Any, call: Call) -> tuple[Any, ...]:
    """Return what a call gives, what it warns of, or its error, and what is in all tensors afterwards."""
    operands = _operands(library)
    places = [v.data_ptr() for v in operands]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = call(library, *operands)
            result = str(found.dtype).split(".")[-1], found.stride(), found.detach().numpy().tobytes()
        except (RuntimeError, NotImplementedError) as error:
            result = type(error).__name__, str(error).split("\n")[0]
    assert [v.data_ptr() for v in operands] == places
    after = [(v._version, v.detach().numpy().tobytes()) for v in operands]
    return result, [str(w.message).split("(Triggered")[0].strip() for w in told], after


def _expected(call: Call) -> list[tuple[Any, ...]]:
    """Return what the call does where it is never written at once, and what it does in torch."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (operators, read_calls):
            patch.setattr(module, "written_at_once", lambda *given: False)
        found = [_outcome(pullback, call)]
    if importlib.util.find_spec("torch") is not None:
        found.append(_outcome(importlib.import_module("torch"), call))
    return found


@pytest.mark.parametrize("name", DIRECT)
def test_a_large_result_is_written_at_once(name: str, at_once: list[bool]) -> None:
    found = _outcome(pullback, DIRECT[name])
    assert all(found == other for other in _expected(DIRECT[name]))
    assert at_once == [True]


@pytest.mark.parametrize("name", OTHERWISE)
def test_what_must_be_looked_at_is_written_as_ever(name: str, at_once: list[bool]) -> None:
    found = _outcome(pullback, OTHERWISE[name])
    assert all(found == other for other in _expected(OTHERWISE[name]))
    assert True not in at_once


def test_nothing_is_recorded_without_grad(at_once: list[bool]) -> None:
    x, y, z = _operands(pullback)
    with pullback.no_grad():
        assert pullback.add(x.requires_grad_(), y, out=z) is z
    assert not z.requires_grad
    assert z.equal((x + y).detach())
    pullback.add(y, y, out=z)
    assert len(at_once) == 2


def test_what_was_saved_is_known_to_be_overwritten(at_once: list[bool]) -> None:
    x, y, z = _operands(pullback)
    product = x.requires_grad_() * z
    pullback.add(y, y, out=z)
    assert at_once == [True]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()
