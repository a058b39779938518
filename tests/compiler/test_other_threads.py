"""Threads that use tensors while another thread traces a function that reads them."""

from __future__ import annotations

import contextlib
import copy
import ctypes
import io
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch
from pullback import nn
from pullback.compiler.emit import python_functions
from pullback.compiler.frontend import cells
from pullback.compiler.runtime import engine, machine_code

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")

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


def saved(x: torch.Tensor) -> Any:
    """What a file says of a tensor."""
    stream = io.BytesIO()
    torch.save(x, stream)
    return torch.load(io.BytesIO(stream.getvalue()))


def test_texts_copies_and_data_are_those_of_the_tensor(monkeypatch):
    model, x = nn.Linear(3, 2), torch.ones(1, 3)
    model.register_buffer("scale", torch.ones(3)[1:])
    ways: list[Callable[[], Any]] = [
        lambda: repr(model.weight), lambda: model.weight.data.clone(), lambda: copy.deepcopy(model).weight,
        lambda: model.state_dict()["bias"].clone(), lambda: [row.sum().item() for row in model.weight],
        lambda: model.weight.to(torch.float64), lambda: torch.vmap(model)(torch.ones(2, 3)).detach(),
        lambda: model.weight.nonzero(), lambda: model.weight.unique(), lambda: model.weight._version,
        lambda: saved(x), lambda: saved(model.scale), lambda: model.scale._base,
        lambda: model.scale._is_view(),
    ]  # fmt: skip
    for way in ways:
        step = torch.compile(lambda x: model(x * model.scale.sum()).detach())
        (found,) = meanwhile(monkeypatch, way, lambda f=step: f(x))
        monkeypatch.undo()
        assert repr(found) == repr(way())
        assert getattr(found, "_level", 0) == 0
        assert step._native.eager_because is None


def test_a_view_is_not_detached_in_place(monkeypatch):
    view, x = torch.ones(3)[1:], torch.ones(2)
    step = torch.compile(lambda x: x.exp() * view)
    (found,) = meanwhile(monkeypatch, view.detach_, lambda: step(x))
    assert isinstance(found, RuntimeError)
    assert str(found).startswith("Can't detach views in-place")
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


def beside(work: Callable[[], Any]) -> list[Any]:
    """What two threads get that do the same at once."""
    found: list[Any] = []
    others = [threading.Thread(target=lambda: found.append(work())) for _ in range(2)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    return found


def test_python_s_functions_stay_where_they_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """What tells a function was made by both threads, and one was freed while its function was in use."""
    both, told = threading.Barrier(2), []

    class Told(python_functions._Method):
        def __init__(self, *parts: Any) -> None:
            super().__init__(*parts)
            told.append(weakref.ref(self))
            both.wait(10)

    monkeypatch.setattr(python_functions, "_Method", Told)
    here = python_functions.addresses()
    if here is None:
        pytest.skip("Python's functions are not found")
    made = beside(lambda: python_functions.function("threads", here["pullback_PyErr_Clear"], None))
    # Behind the count of references and the type.
    at = {ctypes.c_void_p.from_address(id(function) + 16).value for function in made}
    assert at == {ctypes.addressof(found) for ref in told if (found := ref()) is not None}


def test_a_module_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two, one was freed while functions of it were in use."""
    both = threading.Barrier(2)

    def named(*_: Any) -> Callable[[], Any]:
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(MOMENT)  # the other thread does not come here
        return lambda: None

    monkeypatch.setattr(engine, "named", named)
    first, second = beside(lambda: machine_code.library("pullback_apart_threads", str, engine.DEFAULT))
    assert first is second


def test_a_graph_from_before_the_trace_leads_to_its_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was said not to be computed from them: the trace had put the ends of its own graph there."""
    model, x = nn.Linear(3, 2), torch.ones(1, 3)
    y = model(x).sum()
    step = torch.compile(lambda x: model(x).relu())
    (found,) = meanwhile(
        monkeypatch, lambda: torch.autograd.grad(y, [model.weight, model.bias]), lambda: step(x)
    )
    assert [g.tolist() for g in found] == [[[1, 1, 1]] * 2, [1, 1]]
