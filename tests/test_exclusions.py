"""Every public name of torch is in pullback or on the list of what is not, never both."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import pytest
from tools.make_exclusions import PAGE, page

import pullback
from pullback.torch_names.exclusions import WHOLE, absent, excluded, reason

from .recorded import load

NAMES: dict[str, list[str]] = load("names")
#: Every public module of torch -> the names that it declares.
DECLARED_NAMES: dict[str, list[str]] = load("public_modules")
LIST = "src/pullback/torch_names/exclusions.txt"


def holder(place: str) -> Any:
    """The module or class of pullback that stands for one of torch's."""
    if place == "torch.Tensor":
        return pullback.Tensor
    return importlib.import_module(place.replace("torch", "pullback", 1))


def test_every_name_is_there_or_excluded() -> None:
    for place, names in NAMES.items():
        there = {name for name in names if hasattr(holder(place), name)}
        out = excluded(place)
        assert len(set(out)) == len(out), f"{place}: listed twice"
        assert set(names) - there - set(out) == set(), f"{place}: neither there nor in {LIST}"
        assert there & set(out) == set(), f"{place}: there now: take it out of {LIST}"
        assert set(out) <= set(names), f"{place}: no public name of torch"


def found(module: str) -> Any:
    """The module of pullback, or the object that stands for it; None where there is none."""
    try:
        return holder(module)
    except ImportError:
        return pkgutil.resolve_name(module.replace("torch", "pullback", 1).replace(".", ":", 1))


ABSENT = [f"torch.{name}" for places in absent().values() for name in places.get(WHOLE, ())]


def is_absent(module: str) -> bool:
    return any(f"{module}.".startswith(f"{name}.") for name in ABSENT)


def test_modules_that_are_not_there() -> None:
    assert len(set(ABSENT)) == len(ABSENT), "listed twice"
    assert set(ABSENT) <= set(DECLARED_NAMES), "no public module of torch"
    for module in ABSENT:
        with pytest.raises((ImportError, AttributeError)):
            found(module)


def test_every_name_of_a_module_is_there_or_excluded() -> None:
    for module, declared in DECLARED_NAMES.items():
        if is_absent(module):
            continue
        names, out = set(declared), set(excluded(module))
        there = {name for name in names if hasattr(found(module), name)}
        assert names - there - out == set(), f"{module}: neither there nor in {LIST}"
        assert there & out == set(), f"{module}: there now: take it out of {LIST}"
        if module not in NAMES:
            assert out <= names, f"{module}: not declared by torch's module"


def test_the_page_is_what_the_list_gives() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tools.make_exclusions"


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("torch", "saddmm"), ("torch", "jagged"), ("torch", "AliasDb"),
        ("torch.Tensor", "to_padded_tensor"),
    ],
)  # fmt: skip
def test_the_error_says_why(place: str, name: str) -> None:
    where = pullback.zeros(1) if place == "torch.Tensor" else holder(place)
    with pytest.raises(AttributeError, match="has no attribute") as caught:
        getattr(where, name)
    text = "'Tensor' object" if place == "torch.Tensor" else f"module '{place}'"
    assert str(caught.value) == f"{text} has no attribute '{name}'"
    assert caught.value.__notes__ == [f"{place}.{name} is not part of pullback ({reason(place, name)})"]


@pytest.mark.parametrize(
    ("module", "name", "near"),
    [
        ("torch", "softmaxx", "softmax"), ("torch", "zeross", "zeros"), ("torch", "float31", "float32"),
        ("torch.nn", "Linaer", "Linear"), ("torch.nn.functional", "relux", "relu"),
        ("torch.linalg", "sdv", "svd"), ("torch.optim", "Admaw", "AdamW"),
        ("torch.utils.data", "Dataloder", "DataLoader"), ("torch.cuda", "is_availble", "is_available"),
        ("torch.optim.lr_scheduler", "StepLRR", "StepLR"), ("torch.utils", "checkpoitn", "checkpoint"),
        ("torch.distributions", "Nornal", "Normal"), ("torch.jit", "scrip", "script"),
        ("torch.nn", "nothing_like_it", None), ("torch", "_private", None),
    ],
)  # fmt: skip
def test_a_misspelt_name_has_torch_s_text_and_the_nearest_name(
    module: str, name: str, near: str | None
) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(holder(module), name)
    assert str(caught.value) == f"module '{module}' has no attribute '{name}'"
    note = f"Did you mean: '{near}'?" if near else f"{module}.{name} is not part of pullback"
    assert caught.value.__notes__ == [note]


def test_python_suggests_methods_itself() -> None:
    with pytest.raises(AttributeError) as caught:
        _ = pullback.tensor(1.0).sumn
    assert str(caught.value) == "'Tensor' object has no attribute 'sumn'"
    assert isinstance(caught.value.obj, pullback.Tensor)
    assert len(dir(pullback.Tensor)) < 750, "Python suggests nothing where there are more names"
