"""Every public function, method and property says what it does, and how it is called."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from typing import Any

import pytest

import pullback
from pullback.tensor.builtin import behind
from pullback.torch_names.exclusions import Missing

from .recorded import load

NAMES: dict[str, list[str]] = load("names")
PLACES = [
    place for place in NAMES
    if place in ("torch", "torch.Tensor", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special")
]  # fmt: skip


def members(place: str) -> dict[str, Any]:
    """What torch has at a place, as pullback has it: functions, classes, methods and properties."""
    holder: Any = pullback
    for part in place.split(".")[1:]:
        holder = getattr(holder, part)
    absent = {name for name, value in vars(holder).items() if isinstance(value, Missing)}
    there = [n for n in NAMES[place] if n not in absent and not n.startswith("_") and hasattr(holder, n)]
    found = {name: getattr(holder, name) for name in there}
    return {
        name: value for name, value in found.items()
        if not inspect.ismodule(value) and (callable(value) or isinstance(value, property))
    }  # fmt: skip


def test_the_places_are_there() -> None:
    assert len(PLACES) == 6
    assert {place: len(members(place)) for place in PLACES}["torch"] > 600


@pytest.mark.parametrize("place", PLACES)
def test_everything_says_what_it_does(place: str) -> None:
    silent = [
        name for name, value in members(place).items()
        if not re.search(r"\w.*[.:)]", inspect.getdoc(value) or "", re.DOTALL)
    ]  # fmt: skip
    assert silent == []


@pytest.mark.parametrize(
    "name",
    [
        "amp", "autograd", "distributions", "func", "jit", "nn", "nn.init",
        "nn.utils", "nn.utils.rnn", "optim", "optim.lr_scheduler", "random", "signal.windows", "testing",
        "utils.data",
    ],
)  # fmt: skip
def test_modules_say_what_they_have(name: str) -> None:
    module = importlib.import_module(f"pullback.{name}")
    found = {n: v for n, v in vars(module).items() if n in module.__all__ and callable(v)}
    assert found
    methods = {
        f"{n}.{m}": getattr(v, m) for n, v in found.items() if inspect.isclass(v)
        for m, f in vars(v).items() if not m.startswith("_") and inspect.isfunction(f)
    }  # fmt: skip
    assert [n for n, v in (found | methods).items() if not inspect.getdoc(v)] == []


@pytest.mark.parametrize("place", PLACES)
def test_signatures_are_written_as_a_reader_knows_them(place: str) -> None:
    for name, value in members(place).items():
        if not inspect.isfunction(value):
            continue
        signature = inspect.signature(value)
        kinds = [p.annotation for p in signature.parameters.values()] + [signature.return_annotation]
        quoted = [kind for kind in kinds if isinstance(kind, str) and repr(kind) != str(kind)]
        assert not quoted, (name, signature)
        assert ... not in [p.default for p in signature.parameters.values()], (name, signature)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("sin", "(input: Tensor, *, out: Tensor | None = None) -> Tensor"),
        ("Tensor.sin", "(self) -> Tensor"),
        ("linalg.inv", "(A: Tensor, *, out: Tensor | None = None) -> Tensor"),
        ("Tensor.kthvalue", "(self, k: int, dim: int = -1, keepdim: bool = False) -> return_types.kthvalue"),
        ("Tensor.median",
         "(self, dim: int = None, keepdim: bool = False) -> Tensor | return_types.median"),
        ("nn.functional.relu", "(input: Tensor, inplace: bool = False) -> Tensor"),
        ("Tensor.add_", "(self, other: Any, *, alpha: int | float | complex = 1) -> Tensor"),
    ],
)  # fmt: skip
def test_signatures(path: str, told: str) -> None:
    value: Any = pullback
    for part in path.split("."):
        value = getattr(value, part)
    # A built-in function has no signature, as in torch.
    assert str(inspect.signature(behind(value))) == told


def test_a_bound_method_has_no_self() -> None:
    told = "(dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor"
    assert str(inspect.signature(pullback.ones(2).sum)) == told


def test_in_place_methods_have_no_out() -> None:
    assert "out" not in (inspect.getdoc(pullback.Tensor.tanh) or "")
    assert "out : Tensor, optional" in (inspect.getdoc(pullback.tanh) or "")


def test_nothing_is_read_before_it_is_asked_for() -> None:
    program = (
        "from pullback.tensor import shown_signatures\n"
        "assert not shown_signatures._functions.cache_info().misses"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
