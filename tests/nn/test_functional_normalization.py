"""Normalisations against what torch gave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback
from tests.functions import check, recorded


@pytest.mark.parametrize(("expression", "expected"), recorded("normalization"))
def test_as_recorded_from_torch(expression: str, expected: dict[str, Any]) -> None:
    check(expression, expected)


@pytest.mark.parametrize("transform", ["grad", "jvp", "jacfwd"])
def test_running_statistics_that_a_transform_captured_take_the_batch_s(transform: str) -> None:
    x = pullback.arange(12.0).reshape(4, 3)
    mean, var = pullback.zeros(3), pullback.ones(3)

    def normalised(v: Any) -> Any:
        return pullback.nn.functional.batch_norm(v, mean, var, training=True).pow(3).sum()

    if transform == "jvp":
        pullback.func.jvp(normalised, (x,), (x,))
    else:
        getattr(pullback.func, transform)(normalised)(x)
    np.testing.assert_allclose(mean.numpy(), [0.45, 0.55, 0.65], rtol=1e-6)
    np.testing.assert_allclose(var.numpy(), [2.4, 2.4, 2.4], rtol=1e-6)


def test_the_gradient_of_a_layer_norm_s_weight_is_0_where_rows_have_one_element() -> None:
    weight = pullback.ones(1, requires_grad=True)
    x = pullback.tensor([[1000.1], [-77.7], [3.3]])
    pullback.nn.functional.layer_norm(x, (1,), weight).backward(pullback.tensor([[1.3], [-2.7], [0.9]]))
    assert weight.grad.item() == 0.0


@pytest.mark.parametrize("name", ["running_mean", "running_var"])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("module", [pullback.nn.BatchNorm1d, pullback.nn.InstanceNorm1d])
def test_statistics_that_require_grad_are_refused(module: Any, training: bool, name: str) -> None:
    layer = module(3, track_running_stats=True).train(training)
    getattr(layer, name).requires_grad_()
    text = f"'native_batch_norm' is not differentiable with respect to argument '{name}'"
    with pytest.raises(RuntimeError, match=text):
        layer(pullback.ones(2, 3, 4))
    with pullback.no_grad():
        layer(pullback.ones(2, 3, 4))
