"""Each case of the seed texts, explained: J, vᵀ·J and the sums on the way are the texts' numbers, in the data
and in the printed text.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import pullback as torch
from pullback.explain import Explanation, explain

from .cases import CASES, Case


def explained(case: Case) -> tuple[Explanation, torch.Tensor]:
    y, x = case.make()
    v = None if case.covector is None else torch.tensor(case.covector)
    explanation = explain(y, v)
    assert x.grad is None
    y.backward(v)
    assert_array_equal(x.grad, case.gradient)
    return explanation, x


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_numbers(case: Case) -> None:
    explanation, x = explained(case)
    (leaf,) = explanation.leaves
    assert leaf.name == "x"
    assert_array_equal(leaf.jacobians[0].value.array, case.jacobian)
    assert leaf.jacobians[0].shape == np.shape(case.jacobian)
    assert_array_equal(leaf.gradient.array, case.gradient)
    assert_array_equal(leaf.after.array, x.grad)
    running = [term.running.array for term in leaf.contributions]
    assert_array_equal(running[-1], case.gradient)
    if case.running is not None:
        assert_array_equal(running, case.running)
    # vᵀ·J by NumPy, J repeated where v has more axes than y.
    v = np.ones(()) if case.covector is None else np.asarray(case.covector)
    y_rank = len(explanation.outputs[0].shape)
    repeated = v.sum(tuple(range(v.ndim - y_rank)))
    assert_array_equal(np.tensordot(repeated, np.asarray(case.jacobian), y_rank), case.gradient)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_text_has_them(case: Case) -> None:
    text = " ".join(str(explained(case)[0]).split())
    assert max(map(len, str(explained(case)[0]).splitlines())) <= 100
    for value in (case.gradient, *(case.running or [])):
        written = np.array2string(np.asarray(value), separator=", ")
        assert squeezed(written) in squeezed(text), (written, text)
    if np.ndim(case.jacobian) <= 2:
        assert squeezed(np.array2string(np.asarray(case.jacobian), separator=", ")) in squeezed(text)


def squeezed(text: str) -> str:
    """Without spaces and points, which printing is free to choose."""
    return "".join(text.split()).replace(".", "")


def test_sums_of_a_vector_gradient_are_printed_as_they_grow() -> None:
    y, x = CASES[7].make()
    text = str(explain(y, torch.tensor([1.0, 10.0, 100.0, 1000.0])))
    assert "so far 2\n" in text
    assert "so far 22\n" in text
    assert "so far 222\n" in text
    assert "so far 2222\n" in text
    assert "as if J were repeated" in " ".join(text.split())
    assert x.grad is None


def test_accumulation_over_calls() -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x**2
    seen = []
    for v in [1.0, 10.0, 100.0, 1000.0]:
        explanation = explain(y, torch.tensor(v))
        y.backward(torch.tensor(v), retain_graph=True)
        (leaf,) = explanation.leaves
        seen.append((None if leaf.before is None else leaf.before.array.item(), leaf.after.array.item()))
        assert leaf.after.array == x.grad.item()
    assert seen == [(None, 2.0), (2.0, 22.0), (22.0, 222.0), (222.0, 2222.0)]


def test_the_sum_of_a_loop_of_scalars() -> None:
    a = torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=torch.float, requires_grad=True)
    after = None
    for i in range(2):
        for j in range(3):
            out = a[i, j] * a[i, j]
            after = explain(out).leaf("a").after
            out.backward()
    assert after is not None
    assert_array_equal(after.array, [[2, 4, 6], [8, 10, 12]])
    assert_array_equal(a.grad, after.array)


def test_an_image_of_720_by_720_is_not_given_a_jacobian() -> None:
    image = torch.rand(720, 720, requires_grad=True)
    y = image**2
    explanation = explain(y, torch.ones(720, 720))
    (leaf,) = explanation.leaves
    assert leaf.jacobians[0].shape == (720, 720, 720, 720)
    assert leaf.jacobians[0].value is None
    assert leaf.jacobians[0].structure == "diagonal"
    assert "518,400 rows" in leaf.jacobians[0].why_absent
    row = explanation.row((3, 5))["image"]
    assert row.shape == (720, 720)
    assert np.count_nonzero(row) == 1
    assert row[3, 5] == 2 * image[3, 5].item()
    column = explanation.column("image", (3, 5))
    assert np.count_nonzero(column) == 1
    assert column[3, 5] == row[3, 5]


def test_a_vector_loss_without_v_raises_what_backward_raises() -> None:
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        explain(x * x)
