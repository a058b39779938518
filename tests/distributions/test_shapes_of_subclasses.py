"""A subclass may show its events in another shape than it computes with; the moments go by the latter."""

from __future__ import annotations

from typing import Any

import pullback as torch
from pullback.distributions import LowRankMultivariateNormal, MultivariateNormal


class InRows(MultivariateNormal):
    """Events of six numbers, shown as three rows of two."""

    @property
    def event_shape(self) -> Any:
        return torch.Size((3, 2))


class LowRankInRows(LowRankMultivariateNormal):
    """The same with a covariance of low rank."""

    @property
    def event_shape(self) -> Any:
        return torch.Size((3, 2))


def test_variance_of_a_subclass_with_another_event_shape() -> None:
    full = InRows(torch.zeros(4, 6), 2 * torch.eye(6), validate_args=False)
    low = LowRankInRows(torch.zeros(4, 6), torch.ones(6, 1), torch.ones(6), validate_args=False)
    for law in (full, low):
        assert torch.equal(law.variance.detach().round(decimals=5), torch.full((4, 6), 2.0))
