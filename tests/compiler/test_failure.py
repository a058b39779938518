"""Where compiling or running fails, what the user holds is as before the call."""

from __future__ import annotations

import copy
import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback import nn
from pullback.array import large
from pullback.array.random import Generator

pytest.importorskip("llvmlite")

from pullback.compiler.emit import codegen
from pullback.compiler.frontend.cells import Cells
from pullback.compiler.frontend.state.guards import Guard
from pullback.compiler.frontend.state.session import Session
from pullback.compiler.lower import equations
from pullback.compiler.passes import memory_plan
from pullback.compiler.runtime import executable, linked_code, specialised_call, specialization

pytestmark = pytest.mark.usefixtures("in_haste")


@pytest.fixture(autouse=True, scope="module")
def kept(tmp_path_factory: Any) -> Any:
    """Compile each program once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PULLBACK_CACHE", "1")
        patch.setenv("PULLBACK_CACHE_DIR", str(tmp_path_factory.mktemp("cache") / "kept"))
        yield


class Training:
    """A step that draws random numbers and updates, and all that it changes.

    Adam makes its state in the first call.
    """

    def __init__(self, optimizer: str = "Adam", **options: Any) -> None:
        torch.manual_seed(0)
        # No bias before the norm: its gradient is rounding errors, which Adam makes large.
        self.model = nn.Sequential(
            nn.Linear(4, 6, bias=False), nn.BatchNorm1d(6), nn.Dropout(0.5), nn.Linear(6, 2)
        )
        self.optimizer = getattr(torch.optim, optimizer)(self.model.parameters(), lr=0.1, **options)
        self.x = torch.randn(5, 4)
        self.compiled = torch.compile(self.step, backend="native")

    def step(self, x: Any) -> Any:
        self.optimizer.zero_grad()
        loss = self.model(x).square().mean()
        loss.backward()
        self.optimizer.step()
        return loss

    def state(self) -> list[Any]:
        parameters = list(self.model.parameters())
        grads = [None if p.grad is None else p.grad.numpy().copy() for p in parameters]
        kept = [copy.deepcopy(self.optimizer.state.get(p)) for p in parameters]
        values = [v.numpy().copy() for v in self.model.state_dict().values()]
        return [values, grads, kept, torch.get_rng_state().numpy().copy()]


def same(first: Any, second: Any) -> bool:
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[k], second[k]) for k in first)
    if isinstance(first, torch.Tensor):
        return same(first.numpy(), second.numpy())
    return np.array_equal(first, second) if isinstance(first, np.ndarray) else first == second


def fails(error: type[BaseException]) -> Any:
    def failing(*_: Any, **__: Any) -> Any:
        raise error("injected")

    return failing


STAGES = {
    "lowering": (equations, "lower"), "memory plan": (memory_plan, "Plan"),
    "machine code": (codegen, "compiled"), "loading": (linked_code, "linked"),
    "memory": (executable, "aligned"), "short way": (specialised_call, "forward"),
}  # fmt: skip


@pytest.mark.parametrize("optimizer", ["Adam", "SGD"])
@pytest.mark.parametrize("stage", STAGES)
def test_what_does_not_compile_runs_eagerly(stage, optimizer, monkeypatch):
    training, twin = (Training(optimizer) for _ in range(2))
    torch.manual_seed(1)
    rng = torch.get_rng_state()
    module, name = STAGES[stage]
    with monkeypatch.context() as patch:
        patch.setenv("PULLBACK_CACHE", "0")
        patch.setenv("PULLBACK_COMPILE_PROCESSES", "0")  # another process does not fail
        patch.setattr(module, name, fails(MemoryError))
        torch.set_rng_state(rng)
        with pytest.warns(UserWarning, match="the compiler failed: MemoryError: injected"):
            loss = training.compiled(training.x)
    after = torch.get_rng_state()
    torch.set_rng_state(rng)
    torch.testing.assert_close(loss, twin.step(twin.x))
    assert torch.equal(torch.get_rng_state(), after)
    assert same(training.state()[:3], twin.state()[:3])


@pytest.mark.parametrize("optimizer", ["Adam", "SGD"])
@pytest.mark.parametrize("stage", STAGES)
def test_an_interrupted_compilation_leaves_everything(stage, optimizer, monkeypatch):
    training = Training(optimizer)
    before = training.state()
    module, name = STAGES[stage]
    with monkeypatch.context() as patch:
        patch.setenv("PULLBACK_CACHE", "0")
        patch.setenv("PULLBACK_COMPILE_PROCESSES", "0")  # another process does not fail
        patch.setattr(module, name, fails(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            training.compiled(training.x)
    assert same(training.state(), before)
    assert np.isfinite(training.compiled(training.x).item())


@pytest.mark.parametrize("place", [(Cells, "put_back"), (Session, "rollback"), (Guard, "holds")])
def test_an_interrupt_while_a_trace_is_undone_leaves_everything(place, monkeypatch):
    training = Training("Adam")
    before = training.state()
    come: list[int] = []

    def once(*args):
        if not come:
            come.append(1)
            raise KeyboardInterrupt
        return done(*args)

    done = getattr(*place)
    with monkeypatch.context() as patch:
        patch.setattr(*place, once)
        with pytest.raises(KeyboardInterrupt):
            training.compiled(training.x)
    assert come
    assert same(training.state(), before)
    assert np.isfinite(training.compiled(training.x).item())


def test_a_first_step_of_another_kind_is_a_program_of_its_own(monkeypatch):
    # SGD's buffer is a copy of the first gradient, of which later steps take a part.
    training, twin = (Training("SGD", momentum=0.9, dampening=0.5) for _ in range(2))
    before = training.state()
    rng = torch.get_rng_state()
    with monkeypatch.context() as patch:
        patch.setattr(nn.Module, "__call__", fails(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            training.compiled(training.x)
        assert same(training.state(), before)
    for calls in (1, 2, 2):
        torch.set_rng_state(rng)
        loss = training.compiled(training.x)
        torch.set_rng_state(rng)
        assert loss.item() == pytest.approx(twin.step(twin.x).item(), rel=1e-6)
        assert len(training.compiled._native.specializations) == calls
    got, want = (run.optimizer.state_dict()["state"] for run in (training, twin))
    torch.testing.assert_close(got, want)


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
@pytest.mark.parametrize(
    ("place", "steps"),
    [
        *(((Generator, "words"), n) for n in (0, 1, 3)),
        *(((executable.Executable, "_computed"), n) for n in (1, 3)),
    ],
)
@pytest.mark.parametrize("optimizer", ["Adam", "SGD"])
def test_a_call_that_fails_leaves_everything(optimizer, steps, place, error, monkeypatch):
    training = Training(optimizer)
    for _ in range(steps):
        training.compiled(training.x)
    before = training.state()
    with monkeypatch.context() as patch:
        patch.setattr(*place, fails(error))
        # One of the places is on the long way alone, which the call that compiles does not take.
        call = training.compiled if place[0] is Generator else training.compiled._native
        with pytest.raises(error, match="injected"):
            call(training.x)
    assert same(training.state(), before)
    assert np.isfinite(training.compiled(training.x).item())


def test_results_that_find_no_memory_leave_everything(monkeypatch):
    p = torch.ones(3, requires_grad=True)

    def update(x: Any) -> Any:
        with torch.no_grad():
            p.mul_(2)
        return x + p.detach()

    call = torch.compile(update, backend="native")
    x = torch.ones(3)
    call(x)
    with monkeypatch.context() as patch:
        patch.setattr(specialization, "wrap", fails(MemoryError))
        # By the long way.
        with pytest.raises(MemoryError):
            call._native(x)
    assert p.tolist() == [2, 2, 2] and p._version == 1


def test_an_error_that_the_function_handles_is_handled():
    def quotient(x: Any) -> Any:
        try:
            return torch.div(x, x, rounding_mode="trunc")
        except RuntimeError:
            return -x

    call = torch.compile(quotient, backend="native")
    assert call(torch.tensor([1, 0])).tolist() == [-1, 0]
    assert call(torch.tensor([1, 2])).tolist() == [1, 1]
    assert call._native.eager_because is None


def test_a_recorded_constant_that_is_written_to_is_kept_for_the_covectors():
    def quotient(x: Any) -> Any:
        return torch.ones((), requires_grad=True).clone().div_(x)

    x = torch.tensor(2.0, requires_grad=True)
    (grad,) = torch.autograd.grad(torch.compile(quotient, backend="native")(x), x)
    assert grad.item() == -0.25


def test_a_program_packed_without_sources_runs_eagerly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large.os.path, "isfile", lambda path: False)
    with pytest.warns(UserWarning, match="the sources of pullback are not on disk"):
        double = torch.compile(lambda x: x * 2)
    assert double(torch.ones(2)).tolist() == [2.0, 2.0]


class _Held:
    """What a step holds while it runs."""


def _goes_on(pulled: Iterator[float], x: Any) -> Any:
    return x + next(pulled)


def _raises(pulled: Iterator[float], x: Any) -> Any:
    raise ValueError(x)


@pytest.mark.parametrize("end", [_goes_on, _raises])
@pytest.mark.filterwarnings("ignore:compile")
def test_what_a_trace_without_a_program_held_is_freed_with_the_call(end: Callable[..., Any]) -> None:
    pulled = iter([1.0] * 4)

    def step(x: Any) -> Any:
        thing = _Held()
        return thing, end(pulled, x)

    compiled = torch.compile(step, backend="native")
    gc.disable()
    try:
        try:
            compiled(torch.ones(2))
        except ValueError:
            assert end is _raises
        assert not [thing for thing in gc.get_objects() if type(thing) is _Held]
    finally:
        gc.enable()
