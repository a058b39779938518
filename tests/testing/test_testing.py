"""torch.testing tells what torch tells."""

from __future__ import annotations

import pytest

import pullback

from ..recorded import load, outcome
from ..testing_cases import CASES

RECORDED: dict[str, list[str]] = load("testing")


@pytest.mark.parametrize("case", CASES)
def test_as_torch(case: str) -> None:
    assert outcome(case, pullback) == RECORDED[case]


def test_everything_is_recorded() -> None:
    assert list(RECORDED) == CASES


def test_the_older_function_warns() -> None:
    with pytest.warns(FutureWarning, match="is deprecated since 1.12"):
        pullback.testing.assert_allclose(pullback.ones(1), [1.00001])


def test_history_is_no_matter() -> None:
    x = pullback.ones(2, requires_grad=True)
    pullback.testing.assert_close(x * 2, pullback.full((2,), 2.0))
