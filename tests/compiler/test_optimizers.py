"""Steps of every optimizer under `compile` are eager's, and a schedule makes no new programs."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import pullback as torch
from pullback import nn

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")
F = nn.functional
schedulers = torch.optim.lr_scheduler

OPTIMIZERS: dict[str, dict[str, Any]] = {
    "SGD": {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01},
    "Adam": {"amsgrad": True},
    "AdamW": {},
    "NAdam": {"weight_decay": 0.1, "decoupled_weight_decay": True},
    "RAdam": {},
    "Adamax": {},
    "Adagrad": {"lr_decay": 0.1},
    "Adadelta": {},
    "RMSprop": {"momentum": 0.9},
    "Rprop": {},
    "ASGD": {"t0": 3.0},
    "Adafactor": {},
    "Muon": {},
}


def training(name: str, options: dict[str, Any], schedule: Any) -> tuple[Any, Any, Any, Any]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16, bias=False), nn.Tanh(), nn.Linear(16, 5, bias=False))
    optimizer = getattr(torch.optim, name)(model.parameters(), **options)

    def step(x: Any, target: Any) -> Any:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        return loss

    return model, optimizer, schedule(optimizer), step


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_under_a_schedule_are_eagers(name):
    options = OPTIMIZERS[name]
    model, optimizer, schedule, step = training(
        name, options, lambda o: schedulers.ExponentialLR(o, 0.8)
    )
    twin, other, twin_schedule, twin_step = training(
        name, options, lambda o: schedulers.ExponentialLR(o, 0.8)
    )
    compiled = torch.compile(twin_step, backend="native")
    tolerance = 1e-5
    for _ in range(10):
        x, target = torch.randn(6, 8), torch.randint(0, 5, (6,))
        torch.testing.assert_close(compiled(x, target), step(x, target), rtol=tolerance, atol=tolerance)
        schedule.step()
        twin_schedule.step()
    # The first call makes the optimizer's state; all others run one program.
    assert compiled._native._traces <= 2
    assert len(compiled._native.specializations) == 1
    assert other.param_groups[0]["lr"] == optimizer.param_groups[0]["lr"]
    for p, q in zip(model.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(q, p, rtol=tolerance, atol=tolerance)
        mine, theirs = other.state[q], optimizer.state[p]
        assert mine.keys() == theirs.keys()
        for key, value in theirs.items():
            torch.testing.assert_close(mine[key], value, rtol=tolerance, atol=tolerance)
        if "step" in theirs:
            assert mine["step"].item() == 10


ONE_CYCLE = {"max_lr": 0.005, "total_steps": 14}
CYCLIC = {"base_lr": 0.01, "max_lr": 0.05, "step_size_up": 3}


@pytest.mark.parametrize(
    ("name", "schedule", "settings"),
    [
        ("SGD", "OneCycleLR", ONE_CYCLE), ("SGD", "CyclicLR", CYCLIC), ("AdamW", "OneCycleLR", ONE_CYCLE),
        ("RMSprop", "OneCycleLR", ONE_CYCLE),
        ("NAdam", "OneCycleLR", ONE_CYCLE), ("RAdam", "OneCycleLR", ONE_CYCLE),
        ("Adamax", "CyclicLR", CYCLIC),
    ],
)  # fmt: skip
def test_a_schedule_of_the_momentum_needs_one_more_program(name, schedule, settings):
    def scheduled(optimizer: Any) -> Any:
        return getattr(schedulers, schedule)(optimizer, **settings)

    model, _, its_schedule, step = training(name, OPTIMIZERS[name], scheduled)
    twin, other, twin_schedule, twin_step = training(name, OPTIMIZERS[name], scheduled)
    compiled = torch.compile(twin_step, backend="native")
    for _ in range(12):
        x, target = torch.randn(6, 8), torch.randint(0, 5, (6,))
        torch.testing.assert_close(compiled(x, target), step(x, target), rtol=1e-5, atol=1e-5)
        its_schedule.step()
        twin_schedule.step()
    native = compiled._native
    assert native.eager_because is None and len(native.specializations) <= 3
    for p, q in zip(model.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(q, p, rtol=1e-5, atol=1e-5)
    # Without momentum it is another program, and so it is with another second decay rate.
    programs = len(native.specializations)
    for group in other.param_groups:
        if "betas" in group:
            group["betas"] = (group["betas"][0], 0.5)
        else:
            group["momentum"], group["nesterov"] = 0.0, False
    compiled(x, target)
    assert len(native.specializations) == programs + 1


def test_a_step_that_looks_at_its_learning_rate_compiles_with_the_number():
    p = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([p], lr=0.5)

    def step() -> float:
        rate = optimizer.param_groups[0]["lr"]
        optimizer.zero_grad()
        (p.sum() * (2.0 if rate > 0.3 else 1.0)).backward()
        optimizer.step()
        return rate

    compiled = torch.compile(step, backend="native")
    assert compiled() == 0.5
    assert p.tolist() == [0.0, 0.0]
    optimizer.param_groups[0]["lr"] = 0.25
    assert compiled() == 0.25
    assert p.tolist() == [-0.25, -0.25]
    assert compiled._native.eager_because is None


def test_groups_have_rates_of_their_own():
    p, q = (torch.ones(2, requires_grad=True) for _ in range(2))
    optimizer = torch.optim.SGD([{"params": [p], "lr": 1.0}, {"params": [q]}], lr=0.5)

    @torch.compile(backend="native")
    def step():
        optimizer.zero_grad()
        (p + q).sum().backward()
        optimizer.step()

    step()
    optimizer.param_groups[1]["lr"] = 2.0
    step()
    assert p.tolist() == [-1.0, -1.0]
    assert q.tolist() == [-1.5, -1.5]


def test_a_rate_that_is_a_tensor_is_read_anew():
    p = torch.ones(2, requires_grad=True)
    rate = torch.tensor(0.5)
    optimizer = torch.optim.Adam([p], lr=rate, foreach=False)

    def step():
        optimizer.zero_grad()
        (p * p).sum().backward()
        optimizer.step()

    compiled = torch.compile(step, backend="native")
    for _ in range(2):
        compiled()
    rate.fill_(0.0)
    before = p.tolist()
    compiled()
    assert p.tolist() == before


def test_lbfgs_runs_eagerly_and_says_why():
    p = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.LBFGS([p], max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    with pytest.warns(UserWarning, match="runs eagerly"):
        torch.compile(lambda: optimizer.step(closure), backend="native")()
    assert p.abs().max().item() < 1.0


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_a_rate_that_the_function_sets(kind):
    """A rate that is assigned in the call is not the one that the call finds."""

    def trained(compiles: bool) -> list[float]:
        torch.manual_seed(0)
        model = torch.nn.Linear(3, 1)
        optimizer = getattr(torch.optim, kind)(model.parameters(), lr=0.1)

        def step(x, n):
            for group in optimizer.param_groups:
                group["lr"] = 0.1 * 0.9**n
            optimizer.zero_grad()
            model(x).square().sum().backward()
            optimizer.step()
            optimizer.param_groups[0]["lr"] = 0.5

        run = torch.compile(step) if compiles else step
        for n in range(5):
            run(torch.full((2, 3), n + 1.0), n)
        return [*model.weight[0].tolist(), model.bias.item()]

    assert trained(True) == pytest.approx(trained(False), rel=1e-5)


#: Options that are changed from outside, by hand, and whether that is one more program at most.
CHANGED = [
    *((name, "weight_decay", 0.3, True) for name in ("SGD", "Adam", "AdamW", "NAdam", "RMSprop", "Adagrad")),
    *((name, "weight_decay", 0.3, True) for name in ("Adadelta", "Adamax", "ASGD", "Adafactor")),
    ("RMSprop", "alpha", 0.9, False), ("Adam", "eps", 0.1, False), ("NAdam", "momentum_decay", 0.5, False),
    ("Adadelta", "rho", 0.7, False), ("ASGD", "lambd", 0.7, False),
]  # fmt: skip


@pytest.mark.parametrize(("name", "key", "first", "one"), CHANGED)
@pytest.mark.parametrize("inside", [False, True], ids=["outside", "inside"])
def test_an_option_that_each_call_finds_changed_is_not_what_it_was(name, key, first, one, inside):
    """A decay of weights that shrank by hand stayed what the second trace had found, in silence."""
    found = []
    for compiled in (False, True):
        p = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)
        optimizer = getattr(torch.optim, name)([p], lr=0.1, **{key: first})
        group = optimizer.param_groups[0]

        def step(p: Any = p, optimizer: Any = optimizer, group: Any = group) -> None:
            optimizer.zero_grad()
            p.square().sum().backward()
            optimizer.step()
            if inside:
                group[key] *= 0.6

        run = torch.compile(step) if compiled else step
        for n in range(7):
            if n == 5 and not inside:
                group[key] = 0.0
            run()
            if not inside:
                group[key] *= 0.6
        found.append(p.detach())
    torch.testing.assert_close(found[1], found[0], rtol=1e-6, atol=1e-6)
    if one and not inside:
        # The first, one for all others, and that of no decay.
        assert len(run._native.specializations) <= 3


def test_a_scheduler_warns_of_the_line_that_steps_it():
    def step(x):
        scheduler.step()
        return x * 2

    for function in (step, torch.compile(step)):
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(3))], lr=0.1)
        scheduler = schedulers.StepLR(optimizer, 2)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            for _ in range(3):
                function(torch.ones(3))
        (warning,) = heard
        place = (warning.filename, warning.lineno)
        assert place == (__file__, step.__code__.co_firstlineno + 1)
        assert scheduler.last_epoch == 3
