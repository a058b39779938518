"""Functions of the top level are pickled by name: modules keep them as attributes."""

from __future__ import annotations

import pickle

import pytest

import pullback as torch

NAMES = ["sigmoid", "tanh", "relu", "exp", "sin", "erf", "abs", "neg", "add", "mul", "eq", "stack", "softmax"]


@pytest.mark.parametrize("name", NAMES)
def test_comes_back_as_itself(name: str) -> None:
    function = getattr(torch, name)
    assert pickle.loads(pickle.dumps(function)) is function
