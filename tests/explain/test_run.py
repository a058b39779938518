"""The curves of a training run: what is written down, when, and under which names."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import pullback as torch
from pullback import explain, nn
from pullback.explain.command import WrongOption, explained, read_options
from pullback.explain.run import MOST_POINTS

from .page.test_page import data_of


def trained(steps: int, optimizer: torch.optim.Optimizer, model: nn.Module) -> None:
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    for _ in range(steps):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def network() -> tuple[nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def test_a_watched_run_has_a_curve_for_each_layer() -> None:
    model, optimizer = network()
    with explain.watch(model, optimizer, every=5) as run:
        trained(20, optimizer, model)
    curves = run.run.to_dict()
    assert curves["steps"] == 20
    assert [step for step, _ in curves["loss"]] == list(range(1, 21))
    for part in ("gradients", "updates"):
        assert {curve["name"] for curve in curves[part]} == {"model.0", "model.2"}
        for curve in curves[part]:
            assert [step for step, _ in curve["points"]] == [1, 5, 10, 15, 20]
            assert all(0 < value < math.inf for _, value in curve["points"])


def test_an_update_is_measured_against_the_weights() -> None:
    w = nn.Parameter(torch.tensor([3.0, 4.0]))
    optimizer = torch.optim.SGD([w], lr=0.1)
    with explain.record() as run:
        (w * torch.tensor([6.0, 8.0])).sum().backward()
        optimizer.step()
    curves = run.run.to_dict()
    ((_, size),) = curves["gradients"][0]["points"]
    ((_, moved),) = curves["updates"][0]["points"]
    assert (size, moved) == (10.0, pytest.approx(1.0 / 5.0))


def test_units_that_are_dead_are_counted() -> None:
    model, optimizer = network()
    with torch.no_grad():
        model[0].bias[:2] = -100.0
    with explain.record() as run:
        trained(3, optimizer, model)
    (curve,) = run.run.to_dict()["dead"]
    assert curve["name"] == "model.1"
    assert [value for _, value in curve["points"]] == [25.0] * 3


def test_a_finding_stands_at_the_step_where_it_was_seen(tmp_path: Path) -> None:
    model, optimizer = network()
    run = explain.watch(model, optimizer, every=1)
    trained(3, optimizer, model)
    with torch.no_grad():
        model[0].weight[0, 0] = math.nan
    trained(2, optimizer, model)
    run.close()
    run.save(tmp_path / "run.html")
    data = data_of((tmp_path / "run.html").read_text(encoding="utf-8"))
    assert data["run"]["every"] == 1
    assert data["findings"][0]["step"] == 4
    assert data["run"]["loss"][-1] == [5, "nan"]


def test_long_curves_are_thinned_and_keep_their_end() -> None:
    w = nn.Parameter(torch.tensor(1.0))
    with explain.record(in_full=1) as run:
        for _ in range(MOST_POINTS + 50):
            (w * w).backward()
    points = run.run.to_dict()["loss"]
    assert len(points) <= MOST_POINTS
    assert points[-1][0] == MOST_POINTS + 50


def test_a_run_is_watched_until_it_is_closed() -> None:
    model, optimizer = network()
    run = explain.watch(model, optimizer)
    trained(1, optimizer, model)
    run.close()
    run.close()
    trained(1, optimizer, model)
    assert len(run) == 1


def test_every_is_at_least_one() -> None:
    model, optimizer = network()
    with pytest.raises(ValueError, match="at least 1"):
        explain.watch(model, optimizer, every=0)
    with pytest.raises(WrongOption, match="--every"):
        read_options(["--every", "0", "program.py"])


def test_the_command_writes_the_curves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    options, program = read_options(["--every", "2", "train.py"])
    assert (options.every, options.html, program) == (2, "explain.html", ["train.py"])
    model, optimizer = network()
    with explained(options):
        trained(6, optimizer, model)
    assert "explain.html" in capsys.readouterr().out
    page = (tmp_path / "explain.html").read_text(encoding="utf-8")
    assert [step for step, _ in data_of(page)["run"]["updates"][0]["points"]] == [1, 2, 4, 6]
