"""Threads that use tensors while another thread traces a function that reads them."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch
from pullback import nn
from pullback.compiler.frontend import cells

pytest.importorskip("llvmlite")

#: Seconds in which another thread would be done if it did not wait for the trace.
MOMENT = 0.05


def meanwhile(monkeypatch: Any, work: Callable[[], Any], traced: Callable[[], Any]) -> list[Any]:
    """Call `traced`; as soon as its trace has come upon two tensors, `work` begins in another thread."""
    found: list[Any] = []
    threads: list[threading.Thread] = []
    convert = cells.Cells._convert

    def run() -> None:
        try:
            found.append(work())
        except Exception as error:  # noqa: BLE001  # the test looks at it
            found.append(error)

    def converted(self: Any, at: int) -> None:
        convert(self, at)
        if at == 1 and not threads:
            threads.append(threading.Thread(target=run))
            threads[0].start()
            threads[0].join(MOMENT)

    monkeypatch.setattr(cells.Cells, "_convert", converted)
    traced()
    threads[0].join()
    return found


def test_it_finds_what_the_tensors_hold(monkeypatch):
    model, x = nn.Linear(3, 2), torch.ones(1, 3)

    def work() -> Any:
        first = model.weight.detach().sum().item(), model.weight.grad
        (g,) = torch.autograd.grad(model(x).sum(), [model.weight])
        (model(x) * 2).sum().backward()
        return first, g, model.weight.grad.clone()

    step = torch.compile(lambda x: model(x).relu())
    (found,) = meanwhile(monkeypatch, work, lambda: step(x))
    (total, before), g, after = found
    assert total == pytest.approx(model.weight.sum().item())
    assert before is None
    assert torch.equal(g, torch.ones(2, 3))
    assert torch.equal(after, torch.full((2, 3), 2.0))
    assert step._native.eager_because is None
    assert torch.allclose(step(x), model(x).relu())


def test_a_call_that_waited_has_the_program_that_was_made_meanwhile(monkeypatch):
    model, x = nn.Linear(3, 2), torch.ones(1, 3)
    step = torch.compile(lambda x: model(x).tanh())
    other = torch.compile(lambda x: model(x).sum())
    other(x)
    (found,) = meanwhile(monkeypatch, lambda: (step(x), other(x)), lambda: step(x))
    assert torch.allclose(found[0], model(x).tanh())
    assert torch.allclose(found[1], model(x).sum())
    for each in (step, other):
        assert each._native.eager_because is None
        assert len(each._native.specializations) == 1


def test_texts_copies_and_data_are_those_of_the_tensor(monkeypatch):
    model, x = nn.Linear(3, 2), torch.ones(1, 3)
    ways: list[Callable[[], Any]] = [
        lambda: repr(model.weight), lambda: model.weight.data.clone(), lambda: copy.deepcopy(model).weight,
        lambda: model.state_dict()["bias"].clone(), lambda: [row.sum().item() for row in model.weight],
        lambda: model.weight.to(torch.float64), lambda: torch.vmap(model)(torch.ones(2, 3)).detach(),
    ]  # fmt: skip
    for way in ways:
        step = torch.compile(lambda x: model(x).detach())
        (found,) = meanwhile(monkeypatch, way, lambda f=step: f(x))
        monkeypatch.undo()
        assert repr(found) == repr(way())
        assert getattr(found, "_level", 0) == 0
        assert step._native.eager_because is None


def test_writes_stay(monkeypatch):
    model, x = nn.Linear(3, 2), torch.ones(1, 3)

    def work() -> None:
        model.weight.data.fill_(2.0)
        model.bias.grad = torch.ones(2)
        with torch.no_grad():
            model.bias.fill_(1.0)

    step = torch.compile(lambda x: model(x).detach())
    assert meanwhile(monkeypatch, work, lambda: step(x)) == [None]
    assert torch.equal(model.bias.grad, torch.ones(2))
    assert torch.equal(step(x), torch.full((1, 2), 7.0))
