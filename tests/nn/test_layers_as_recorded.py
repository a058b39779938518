"""Layers' functions against what torch gave: values, nodes, strides, errors and warnings."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch
from tests.nn.layers import outcomes, topics
from tests.recorded import load


def _rounded(outcome: Any) -> Any:
    """Digests apart from the rest, which must agree to the letter."""
    values = outcome.get("values", ())
    digests = [v["digest"] for v in values if isinstance(v, dict)]
    rest = [{k: v[k] for k in v if k != "digest"} if isinstance(v, dict) else v for v in values]
    return {**outcome, "values": rest}, digests


@pytest.mark.parametrize("topic", topics())
def test_as_recorded_from_torch(topic: str) -> None:
    expected = load("layers")[topic]
    found = outcomes(topic, torch)
    assert list(found) == list(expected)
    for expression, outcome in found.items():
        rest, digests = _rounded(outcome)
        wanted, wanted_digests = _rounded(expected[expression])
        assert rest == wanted, expression
        for digest, wanted_digest in zip(digests, wanted_digests, strict=True):
            scale = 1e-5 * max(1.0, abs(wanted_digest[1]))
            assert digest == pytest.approx(wanted_digest, rel=1e-5, abs=scale), expression
