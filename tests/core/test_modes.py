"""Common modes are records that are found again by identity, and results know in which they were made."""

from __future__ import annotations

import pytest

import pullback as torch
from pullback.core.modes import DEFAULT, INFERENCE, NO_GRAD, modes


def test_common_records_are_the_same_objects() -> None:
    assert modes() is DEFAULT
    with torch.inference_mode():
        assert modes() is INFERENCE
        with torch.inference_mode(False):
            assert modes() is DEFAULT
        assert modes() is INFERENCE
        with torch.enable_grad():
            assert modes().inference
            assert modes().grad
        assert modes() is INFERENCE
    with torch.no_grad(), torch.inference_mode():
        assert modes() is INFERENCE
    assert modes() is DEFAULT
    with torch.no_grad():
        assert modes() is NO_GRAD
        with torch.inference_mode():
            torch.set_grad_enabled(False)
        assert modes() is NO_GRAD


def test_results_in_inference_mode_are_inference_tensors_and_views_of_others_are_not() -> None:
    w, x = torch.nn.Parameter(torch.randn(3, 3)), torch.randn(3, 3)
    with torch.inference_mode():
        made = [
            x.relu(), x @ w, w + 1, *x.max(0), torch.cat([x, x]), *x.sort(), *torch.frexp(x), x > 0,
            torch.zeros(2).view(2),
        ]  # fmt: skip
        views = [x.t(), w[0], x.view(-1), *x.unbind(0)]
    assert all(t.is_inference() and not t.requires_grad for t in made)
    assert not any(t.is_inference() for t in views)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        made[0] * w
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        made[1].add_(1)
