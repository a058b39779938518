"""An answer is certain only where the counterfactual was checked, and the check does not disturb the run."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as torch
from pullback import explain, nn
from pullback.explain.counterfactual import nudged


def findings(run):  # type: ignore[no-untyped-def]  # of a function without arguments
    with explain.record() as recording:
        run()
    return list(recording.findings)


def cut_off() -> None:
    torch.manual_seed(0)
    first, second = nn.Linear(3, 4), nn.Linear(4, 1)
    optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
    for _ in range(2):
        loss = second(first(torch.randn(5, 3)).detach()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def test_a_cut_is_certain_when_the_turn_run_again_without_it_gives_a_gradient() -> None:
    answer = findings(cut_off)[0]
    assert answer.kind == "detached" and answer.certain
    assert answer.checked.startswith("run again with its history, `first.weight` gets a gradient of norm")
    assert not answer.in_a_line().startswith("Probably")


def test_what_cannot_be_run_again_is_not_certain() -> None:
    def drawn_anew() -> None:
        torch.manual_seed(0)
        first, second = nn.Linear(3, 4), nn.Linear(4, 1)
        optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
        hidden = nn.functional.dropout(first(torch.randn(5, 3)).detach(), 0.5)
        loss = second(hidden).pow(2).mean() + first.weight.detach().argmax()
        optimizer.zero_grad()
        loss.backward()

    answer = next(a for a in findings(drawn_anew) if a.kind == "detached")
    assert not answer.certain
    assert "Probably: " in answer.in_a_line()


def test_data_is_certain_when_the_loss_is_finite_without_it() -> None:
    def spoilt() -> None:
        torch.manual_seed(0)
        x = torch.randn(4, 3)
        x[2, 1] = float("nan")
        nn.Linear(3, 1)(x).pow(2).mean().backward()

    answer = findings(spoilt)[0]
    assert answer.kind == "data not finite"
    assert "(rows 2)" in answer.cause
    assert answer.checked.startswith("with 0 in place of what is not finite there, the loss is")


def test_running_again_changes_nothing() -> None:
    def trained(recorded: bool) -> tuple[np.ndarray, np.ndarray]:
        torch.manual_seed(0)
        norm, first, second = nn.BatchNorm1d(3), nn.Linear(3, 4), nn.Linear(4, 1)
        parameters = [*norm.parameters(), *first.parameters(), *second.parameters()]
        optimizer = torch.optim.SGD(parameters, lr=0.1)

        def steps() -> None:
            for _ in range(3):
                hidden = first(norm(torch.randn(5, 3))).data
                loss = second(hidden).pow(2).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

        if recorded:
            findings(steps)
        else:
            steps()
        return norm.state_dict()["running_mean"].numpy(), second.weight.detach().numpy()

    for plain, watched in zip(trained(False), trained(True), strict=True):
        np.testing.assert_array_equal(plain, watched)


@pytest.mark.parametrize(
    ("name", "value", "function"),
    [("log", 0.0, np.log), ("atanh", 1.0, np.arctanh), ("exp", 1e3, np.exp), ("sqrt", -1.0, np.sqrt)],
)
def test_values_are_moved_to_where_an_op_is_finite(name, value, function) -> None:  # type: ignore[no-untyped-def]  # parametrized
    (moved,) = nudged(name, [np.array([value], np.float32)])
    assert np.isfinite(function(moved)).all()


def test_an_answer_without_a_check_is_not_certain() -> None:
    assert not explain.Answer("kind", "cause").certain
    assert explain.Answer("kind", "cause", checked="run again").certain


def test_a_cause_of_another_leaf_is_not_blamed() -> None:
    """Two square roots lie at 0, each on the way to one leaf: each leaf is told of its own."""
    first = torch.zeros(2, requires_grad=True)
    second = torch.zeros(2, requires_grad=True)
    loss = first.sqrt().sum()
    loss = loss + second.sqrt().sum()
    loss.backward(retain_graph=True)
    line = test_a_cause_of_another_leaf_is_not_blamed.__code__.co_firstlineno
    for leaf, at in ((first, line + 4), (second, line + 5)):
        answer = explain.why_nan(leaf, loss)
        assert answer.certain and answer.place is not None and answer.place.line == at


def test_nothing_is_certain_where_the_mend_is_not_enough() -> None:
    """The logarithm of 0 is masked out, and the overflow that matters is another one's."""
    x = torch.zeros(2, requires_grad=True)
    hidden = torch.where(torch.tensor([False, False]), x.log(), x)
    loss = (hidden.sum() + 200).exp()
    answer = explain.why_nan(loss)
    assert not answer.certain or "overflow" in answer.kind
