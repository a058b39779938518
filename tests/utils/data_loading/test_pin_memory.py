"""``torch.utils.data._utils.pin_memory``, which libraries import to pin batches of their own."""

from collections import OrderedDict, namedtuple
from types import MappingProxyType

import pytest

import pullback as torch
from pullback.utils.data._utils.pin_memory import pin_memory

Pair = namedtuple("Pair", "a b")


class Batch:
    def __init__(self, name: str) -> None:
        self.name = name

    def pin_memory(self) -> str:
        return f"pinned {self.name}"


def test_containers_are_gone_through():
    a, b = Batch("a"), Batch("b")
    assert pin_memory([a, "text", (b, 1), Pair(a, b)]) == [
        "pinned a", "text", ("pinned b", 1), Pair("pinned a", "pinned b"),
    ]  # fmt: skip
    found = pin_memory(OrderedDict(x=a, y=range(2)))
    assert type(found) is OrderedDict
    assert found == {"x": "pinned a", "y": [0, 1]}
    assert pin_memory(MappingProxyType({"x": b})) == {"x": "pinned b"}


def test_what_is_given_stays_as_it_is():
    given = {"x": [Batch("a")]}
    assert pin_memory(given) is not given
    assert type(given["x"][0]) is Batch


def test_a_tensor_needs_an_accelerator():
    with pytest.raises(RuntimeError, match="Cannot access accelerator device when none is available"):
        pin_memory([torch.ones(2)])
