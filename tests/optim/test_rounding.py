"""L-BFGS and the sums that it is made of agree with torch to the last bit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import pullback
from pullback.array import lanes
from pullback.optim import vectors as of_vectors
from tests.recorded import load

from .rounding_cases import LENGTHS, digest, runs, vectors

RECORD = load("rounding")


@pytest.mark.parametrize("length", LENGTHS)
def test_sums(length: int) -> None:
    x, y, factor = vectors(length)
    scaled = np.empty_like(x)
    lanes.add_scaled(x, y, factor, scaled)
    assert [float(lanes.dot(x, y)), float(lanes.total(x)), digest(scaled)] == RECORD["sums"][str(length)]


def test_runs() -> None:
    assert runs(pullback) == RECORD["runs"]


def test_longer_vectors_and_other_dtypes_go_the_usual_way() -> None:
    for x in (pullback.ones(lanes.LONGEST + 1), pullback.ones(3, dtype=pullback.float64)):
        assert of_vectors.dot(x, x).item() == of_vectors.size(x).item() == len(x)
        of_vectors.add_scaled(x, x, 2.0)
        assert x.eq(3).all()


def test_overflow_is_silent() -> None:
    x = pullback.full((20,), 1e38)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert of_vectors.dot(x, x).isinf()
        assert of_vectors.size(x * 10).isinf()
        of_vectors.add_scaled(x, x, 1e5)
    assert x.isinf().all()


def test_an_update_of_a_parameter_is_seen_by_autograd() -> None:
    param = pullback.nn.Parameter(pullback.ones(3))
    loss = (param * param).sum()
    with pullback.no_grad():
        of_vectors.add_scaled(param, pullback.ones(3), 1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_learning_rate_of_one_element_becomes_a_step_without_dimensions() -> None:
    param = pullback.nn.Parameter(pullback.ones(3))
    optimizer = pullback.optim.LBFGS([param], lr=pullback.tensor([0.5]), max_iter=2)

    def closure() -> pullback.Tensor:
        optimizer.zero_grad()
        loss = (param * param).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert optimizer.state[param]["t"].shape == ()


def test_the_line_search_keeps_the_users_warnings() -> None:
    param = pullback.nn.Parameter(pullback.ones(3))
    optimizer = pullback.optim.LBFGS([param], line_search_fn="strong_wolfe")
    states = []

    def closure() -> pullback.Tensor:
        states.append(np.geterr())
        optimizer.zero_grad()
        loss = (param**4).sum()
        loss.backward()
        return loss

    with np.errstate(over="raise"):
        optimizer.step(closure)
        assert all(state == np.geterr() for state in states)
