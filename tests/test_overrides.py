"""Function modes and the tables of torch.overrides."""

from __future__ import annotations

import threading
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
    assert torch.manual_seed in torch.overrides.get_ignored_functions()
    assert torch.overrides.get_testing_overrides()[torch.mm](1, 2) == -1
