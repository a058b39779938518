"""Function modes and the tables of torch.overrides."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

import pullback as torch
from pullback.overrides import TorchFunctionMode, get_overridable_functions, resolve_name
from pullback.tensor.interception import OVERRIDING


class Telling(TorchFunctionMode):
    """Writes down the name of each function called."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(func.__name__)
        return func(*args, **(kwargs or {}))


def test_a_mode_sees_functions_methods_and_operators() -> None:
    x = torch.ones(2, 2)
    with Telling() as mode:
        y = x + x
        y = torch.mm(x, y)
        y.add_(1).exp()
        y[0, 1]
        torch.zeros(3)
        torch.nn.functional.linear(x, y)
        torch.linalg.inv(x + torch.eye(2))
        y.sum()
    assert [name.strip("_").removeprefix("linalg_") for name in mode.names] == [
        "add", "mm", "add", "exp", "getitem", "zeros", "linear", "eye", "add", "inv", "sum"
    ]  # fmt: skip


def test_an_outer_mode_sees_what_an_inner_one_calls() -> None:
    with Telling() as outer, Telling() as inner:
        torch.ones(1).exp()
    assert outer.names == inner.names == ["ones", "exp"]


def test_nothing_is_left_behind() -> None:
    before = set(OVERRIDING)
    with pytest.raises(ValueError, match="out"), Telling():
        raise ValueError("out")
    assert set(OVERRIDING) == before
    assert torch.overrides._get_current_function_mode_stack() == []


def test_a_mode_is_its_thread_s() -> None:
    with Telling() as mode:
        thread = threading.Thread(target=lambda: torch.ones(1).exp())
        thread.start()
        thread.join()
    assert mode.names == []


def test_a_mode_can_change_results() -> None:
    class Doubling(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func(*args, **(kwargs or {})) * 2

    x = torch.zeros(1)
    with Doubling():
        y = x.exp()
    assert y.item() == 2.0


def test_without_an_answer() -> None:
    class Silent(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return NotImplemented

    with pytest.raises(TypeError), Silent():
        torch.ones(1)
    with pytest.raises(TypeError, match="unsupported operand type"):
        x = torch.ones(1)
        with Silent():
            x + 1


def test_a_mode_sees_operators_with_numbers() -> None:
    x = torch.ones(2)
    with Telling() as mode:
        x**2
        x % 2
        _ = x == 1
    assert [name.strip("_") for name in mode.names] == ["pow", "remainder", "eq"]


def test_names() -> None:
    assert resolve_name(torch.mm) == "torch.mm"
    assert resolve_name(torch.linalg.inv) == "torch.linalg.inv"
    assert resolve_name(torch.nn.functional.linear) == "torch.nn.functional.linear"
    assert resolve_name(torch.Tensor.__getitem__) == "torch.Tensor.__getitem__"
    assert resolve_name(print) is None


def test_tables() -> None:
    functions = get_overridable_functions()
    assert torch.mm in functions[torch]
    assert torch.nn.functional.linear in functions[torch.nn.functional]
    assert torch.Tensor.add_ in functions[torch.Tensor]
    ignored = torch.overrides.get_ignored_functions()
    assert {torch.manual_seed, torch.no_grad, torch.Tensor.as_subclass, torch.nn.init.normal_} <= ignored
    assert torch.add not in ignored and torch.Tensor.add not in ignored
    assert torch.overrides.get_testing_overrides()[torch.mm](1, 2) == -1


class Foreign:
    """No tensor; it answers every function with its name."""

    called: Any = None
    error: Exception | None = None

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.called = func
        if cls.error is not None:
            raise cls.error
        return "answered"


PLACES = {
    "": torch, ".nn.functional": torch.nn.functional, ".linalg": torch.linalg, ".fft": torch.fft,
    ".special": torch.special,
}  # fmt: skip
#: Place -> name -> how many arguments torch's function of that name takes at least.
COUNTS = json.loads((Path(__file__).parent / "data" / "overridable.json").read_text())


@pytest.mark.parametrize("place", PLACES)
def test_overrides_are_told_of_the_function_by_the_name_it_was_called_by(place: str) -> None:
    for name, count in COUNTS[place].items():
        function = getattr(PLACES[place], name, None)
        if function is not None:
            assert function(*[Foreign()] * count) == "answered", name
            assert Foreign.called is function, name


@pytest.mark.parametrize("kind", [TypeError, AttributeError, RuntimeError])
def test_errors_of_overrides_pass_through(kind: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Foreign, "error", kind("argument 'input' must be Tensor"))
    for place, module in PLACES.items():
        for name, count in COUNTS[place].items():
            function = getattr(module, name, None)
            if function is not None:
                with pytest.raises(kind) as raised:
                    function(*[Foreign()] * count)
                assert raised.value is Foreign.error, name


def test_subclasses_are_told_of_methods_that_are_no_declarations() -> None:
    called = []

    class Told(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            called.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})

    x = torch.ones(2).as_subclass(Told)
    x.zero_(), x.fill_(2), x.numel(), x.size(), x.unsqueeze_(0), x.requires_grad_(), x.tolist()
    names = ["zero_", "fill_", "numel", "size", "unsqueeze_", "requires_grad_", "tolist"]
    assert called == [getattr(torch.Tensor, name) for name in names]


def test_a_mode_answers_for_functions_that_fill() -> None:
    """Libraries keep modules from filling their weights by a mode that knows `torch.nn.init` by name."""
    asked = []

    class Leaving(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            if getattr(func, "__module__", None) == "torch.nn.init":
                asked.append((func.__name__, sorted(kwargs)))
                return kwargs["tensor"]
            return func(*args, **kwargs)

    bias = torch.nn.Parameter(torch.ones(2))
    with Leaving():
        torch.nn.Linear(2, 2)
        assert torch.nn.init.constant_(bias, 3.0) is bias
        assert torch.nn.init.normal_(bias, std=2.0) is bias
    assert bias.tolist() == [1.0, 1.0]
    assert asked == [
        ("kaiming_uniform_", ["a", "generator", "mode", "nonlinearity", "tensor"]),
        ("uniform_", ["a", "b", "generator", "tensor"]), ("constant_", ["tensor", "val"]),
        ("normal_", ["generator", "mean", "std", "tensor"]),
    ]  # fmt: skip
    assert torch.nn.init.constant_(bias, 3.0).tolist() == [3.0, 3.0]
