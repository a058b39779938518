"""Every public name of torch is in pullback or on the list of what is not, never both."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from tools.make_exclusions import PAGE, page

import pullback
from pullback.exclusions import excluded, reason

from .recorded import load

NAMES: dict[str, list[str]] = load("names")


def holder(place: str) -> Any:
    """The module or class of pullback that stands for one of torch's."""
    if place == "torch.Tensor":
        return pullback.Tensor
    return importlib.import_module(place.replace("torch", "pullback", 1))


@pytest.mark.parametrize("place", NAMES)
def test_every_name_is_there_or_excluded(place: str) -> None:
    there = {name for name in NAMES[place] if hasattr(holder(place), name)}
    out = excluded(place)
    assert len(set(out)) == len(out), "listed twice"
    assert set(NAMES[place]) - there - set(out) == set(), "neither there nor in src/pullback/exclusions.py"
    assert there & set(out) == set(), "there now: take it out of src/pullback/exclusions.py"
    assert set(out) <= set(NAMES[place]), "no public name of torch"


def test_the_page_is_what_the_list_gives() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tools.make_exclusions"


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("torch", "sspaddmm"), ("torch", "jagged"), ("torch", "AliasDb"),
        ("torch.Tensor", "sparse_resize_"), ("torch.Tensor", "chalf"),
    ],
)  # fmt: skip
def test_the_error_says_why(place: str, name: str) -> None:
    where = pullback.zeros(1) if place == "torch.Tensor" else holder(place)
    with pytest.raises(AttributeError, match="has no attribute") as caught:
        getattr(where, name)
    assert f"{place}.{name} is not part of pullback ({reason(place, name)})" in str(caught.value)


def test_an_unknown_name_is_torch_s_error() -> None:
    with pytest.raises(AttributeError) as caught:
        _ = pullback.tensor(1.0).no_such_name
    assert str(caught.value) == "'Tensor' object has no attribute 'no_such_name'"
