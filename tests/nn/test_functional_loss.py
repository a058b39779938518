"""Losses against what torch gave."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch
import pullback.nn.functional as F
from tests.functions import check, recorded


@pytest.mark.parametrize(("expression", "expected"), recorded("loss"))
def test_as_recorded_from_torch(expression: str, expected: dict[str, Any]) -> None:
    check(expression, expected)


@pytest.mark.parametrize(("input", "target", "name"), [(1.5, 1.5, "input"), (0.5, -0.1, "target")])
def test_cross_entropy_of_what_is_no_probability(input: float, target: float, name: str) -> None:
    with pytest.raises(RuntimeError, match=f"all elements of {name} should be between 0 and 1"):
        torch.nn.functional.binary_cross_entropy(torch.tensor([input]), torch.tensor([target]))


@pytest.mark.parametrize(
    ("kind", "wanted", "error", "text"),
    [
        ("float32", "int64", RuntimeError, "result type Float can't be cast to the desired output type Long"),
        ("float64", "uint8", RuntimeError, "result type Double can't be cast to the desired output type B"),
        ("float32", "bool", RuntimeError, "Subtraction, the `-` operator, with two bool tensors is not supp"),
        ("int64", "float32", NotImplementedError, "\"log_sigmoid_cpu\" not implemented for 'Long'"),
    ],
)
def test_targets_that_are_no_probabilities(kind: str, wanted: str, error: type[Exception], text: str) -> None:
    input, target = (torch.ones(2, dtype=getattr(torch, name)) for name in (kind, wanted))
    with pytest.raises(error, match=text):
        torch.nn.functional.binary_cross_entropy_with_logits(input, target)


def test_loss_of_logits_has_the_dtype_of_the_targets() -> None:
    input = torch.ones(2, dtype=torch.float64, requires_grad=True)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(input, torch.ones(2))
    loss.backward()
    assert loss.dtype is torch.float32
    assert input.grad.dtype is torch.float64


def test_losses_of_the_top_level_reduce_by_nothing_unless_asked() -> None:
    """As torch's do: its parser reads the default of the schemas, the mean, as the number of no reduction."""
    x, rows, signs = torch.full((2,), 0.5), torch.ones(2, 3), torch.tensor([1.0, -1.0])
    losses = {
        "kl_div": (x, x), "binary_cross_entropy_with_logits": (x, x), "hinge_embedding_loss": (x, signs),
        "margin_ranking_loss": (x, x, signs), "cosine_embedding_loss": (rows, rows, signs),
        "triplet_margin_loss": (rows, rows, rows),
    }  # fmt: skip
    for name, args in losses.items():
        function = getattr(torch, name)
        assert function(*args).shape == (2,), name
        assert function(*args, reduction=1).shape == (), name


def test_the_weights_of_a_loss_have_no_gradient():
    x, weight = torch.full((2, 3), 0.5), torch.ones(3, requires_grad=True)
    classes = torch.tensor([0, 2])
    for name, refused in (
        ("nll_loss_forward", lambda: F.cross_entropy(x, classes, weight)),
        ("nll_loss_forward", lambda: F.nll_loss(x, classes, weight)),
        ("nll_loss2d_forward", lambda: F.nll_loss(x[..., None], classes[:, None], weight)),
        ("binary_cross_entropy", lambda: F.binary_cross_entropy(x, x, weight)),
        ("binary_cross_entropy_with_logits", lambda: F.binary_cross_entropy_with_logits(x, x, weight)),
    ):
        with pytest.raises(RuntimeError) as found:
            refused()
        assert str(found.value) == (
            f"The function '{name}' is not differentiable with respect to argument 'weight'. "
            "This input cannot have requires_grad True."
        )
        with torch.no_grad():
            refused()
