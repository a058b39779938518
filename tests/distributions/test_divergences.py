"""Divergences against torch's, the search in their table, and estimates from samples."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import pullback as torch
from pullback.distributions import Distribution, Normal, kl_divergence, register_kl
from pullback.distributions.kl import _KL_REGISTRY
from tests.distributions.comparison import compare
from tests.distributions.divergences import divergences, registered
from tests.recorded import load

RECORDED = load("divergences")


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return divergences(torch)


def test_the_pairs_are_torchs(found: dict[str, Any]) -> None:
    assert registered(torch) == RECORDED["registered"]
    assert found.keys() == RECORDED["values"].keys()


def test_as_torch(found: dict[str, Any]) -> None:
    differ = {}
    for pair, (value, slopes) in RECORDED["values"].items():
        try:
            compare(found[pair][0], value)
            compare(found[pair][1], slopes)
        except AssertionError as error:
            differ[pair] = error
    assert not differ


def test_of_a_distribution_from_itself_is_zero() -> None:
    p = torch.distributions.Gamma(torch.tensor([0.5, 3.0]), 2.0)
    assert torch.equal(kl_divergence(p, p), torch.zeros(2))


class First(Normal):
    """A subclass for the search."""


class Second(First):
    """A subclass of that."""


@pytest.fixture
def registry() -> Any:
    before = dict(_KL_REGISTRY)
    yield _KL_REGISTRY
    _KL_REGISTRY.clear()
    _KL_REGISTRY.update(before)
    register_kl(Normal, Normal)(before[Normal, Normal])  # forgets what was found meanwhile


def test_the_nearest_pair_is_taken(registry: Any) -> None:
    register_kl(First, Normal)(lambda p, q: "first")
    register_kl(Second, Second)(lambda p, q: "second")
    assert kl_divergence(First(0.0, 1.0), First(0.0, 1.0)) == "first"
    assert kl_divergence(Second(0.0, 1.0), Second(0.0, 1.0)) == "second"
    assert kl_divergence(Second(0.0, 1.0), Normal(0.0, 1.0)) == "first"
    assert torch.is_tensor(kl_divergence(Normal(0.0, 1.0), Second(0.0, 1.0)))


def test_an_ambiguous_pair_warns(registry: Any) -> None:
    register_kl(First, Normal)(lambda p, q: "left")
    register_kl(Normal, First)(lambda p, q: "right")
    with pytest.warns(RuntimeWarning, match=r"Please register_kl\(First, First\)"):
        assert kl_divergence(First(0.0, 1.0), First(0.0, 1.0)) == "left"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kl_divergence(First(0.0, 1.0), First(0.0, 1.0)) == "left"  # found before


def test_registration_forgets_what_was_found(registry: Any) -> None:
    with pytest.raises(NotImplementedError, match="No KL"):
        kl_divergence(Distribution(validate_args=False), Normal(0.0, 1.0))
    register_kl(Distribution, Normal)(lambda p, q: "any")
    assert kl_divergence(Distribution(validate_args=False), Normal(0.0, 1.0)) == "any"
