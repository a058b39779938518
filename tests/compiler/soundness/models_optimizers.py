"""Every optimizer, and what users do around an optimizer's step."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pullback as torch
from pullback import nn
from tests.compiler.soundness.training import Training, case, training

F = nn.functional
optim = torch.optim


def network() -> Any:
    return nn.Sequential(nn.Linear(9, 13), nn.Tanh(), nn.Linear(13, 7), nn.Tanh(), nn.Linear(7, 3))


def classify(model: Any, x: Any, target: Any) -> Any:
    return F.cross_entropy(model(x), target)


def batch() -> tuple[Any, Any]:
    return torch.randn(8, 9), torch.randint(0, 3, (8,))


#: By name: what makes an optimizer of parameters.
OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "sgd": lambda p: optim.SGD(p, 0.1),
    "sgd_nesterov": lambda p: optim.SGD(p, 0.05, momentum=0.9, nesterov=True, weight_decay=1e-2),
    "sgd_damped_ascent": lambda p: optim.SGD(p, 0.05, momentum=0.9, dampening=0.1, maximize=True),
    "adam": lambda p: optim.Adam(p, 1e-2),
    "adam_amsgrad": lambda p: optim.Adam(p, 1e-2, betas=(0.8, 0.9), amsgrad=True, weight_decay=1e-2),
    "adamw": lambda p: optim.AdamW(p, 1e-2, weight_decay=0.1),
    "adamax": lambda p: optim.Adamax(p, 1e-2),
    "nadam": lambda p: optim.NAdam(p, 1e-2, weight_decay=1e-2, decoupled_weight_decay=True),
    "radam": lambda p: optim.RAdam(p, 1e-2),
    "adagrad": lambda p: optim.Adagrad(p, 0.05, lr_decay=0.01, initial_accumulator_value=0.1),
    "adadelta": lambda p: optim.Adadelta(p, 1.0, rho=0.8),
    "adafactor": lambda p: optim.Adafactor(p, 1e-2),
    "rmsprop": lambda p: optim.RMSprop(p, 1e-2),
    "rmsprop_centered": lambda p: optim.RMSprop(p, 1e-3, centered=True, momentum=0.9, eps=1e-4),
    "rprop": lambda p: optim.Rprop(p, 1e-3),
    "asgd": lambda p: optim.ASGD(p, 0.05, t0=2),
    "muon": lambda p: optim.Muon([x for x in p if x.ndim == 2], 1e-2),
}


def optimized(make_optimizer: Callable[[Any], Any]) -> Callable[[], Training]:
    def make() -> Training:
        model = network()
        return training(model, classify, batch, make_optimizer(model.parameters()))

    return make


for name, optimizer in OPTIMIZERS.items():
    case(f"optimizer_{name}", ci="float64" if name in ("adamw", "sgd_nesterov") else "")(optimized(optimizer))


@case("optimizer_lbfgs", eager="numbers")
def optimizer_lbfgs() -> Training:
    model = network()
    optimizer = optim.LBFGS(model.parameters(), 0.5, max_iter=3)

    def step(x: Any, target: Any) -> Any:
        def closure() -> Any:
            optimizer.zero_grad()
            loss = classify(model, x, target)
            loss.backward()
            return loss

        return optimizer.step(closure)

    return Training(step, batch, (model,))


@case("optimizer_sparse_adam", eager="numbers")
def optimizer_sparse_adam() -> Training:
    class Words(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.token = nn.Embedding(13, 5, sparse=True)

        def forward(self, x: Any) -> Any:
            return self.token(x).mean(1)

    model = Words()
    draw = lambda: (torch.randint(0, 13, (4, 6)), torch.randint(0, 5, (4,)))
    return training(model, classify, draw, optim.SparseAdam(model.parameters(), 1e-2))


@case("clipped_by_norm", ci="float32")
def clipped_by_norm() -> Training:
    model = network()
    optimizer = optim.SGD(model.parameters(), 0.1, 0.9)

    def step(x: Any, target: Any) -> Any:
        optimizer.zero_grad(set_to_none=False)
        loss = classify(model, 3 * x, target)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
        return loss

    return Training(step, batch, (model,))


@case("clipped_by_value_and_norm_returned")
def clipped_by_value_and_norm_returned() -> Training:
    model = network()
    optimizer = optim.AdamW(model.parameters(), 1e-3)

    def step(x: Any, target: Any) -> Any:
        optimizer.zero_grad()
        loss = classify(model, x, target)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0, norm_type=1)
        nn.utils.clip_grad_value_(model.parameters(), 0.01)
        optimizer.step()
        return loss + 0.1 * norm.detach()

    return Training(step, batch, (model,))


SCHEDULERS: dict[str, Callable[[Any], Any]] = {
    "cosine": lambda o: optim.lr_scheduler.CosineAnnealingLR(o, 7),
    "one_cycle": lambda o: optim.lr_scheduler.OneCycleLR(o, 0.1, total_steps=9),
    "warm_up": lambda o: optim.lr_scheduler.SequentialLR(
        o, [optim.lr_scheduler.LinearLR(o, 0.1, 1.0, 2), optim.lr_scheduler.ExponentialLR(o, 0.8)], [2]
    ),
    "lambda": lambda o: optim.lr_scheduler.LambdaLR(o, lambda n: 1 / (1 + n)),
}


def scheduled(make_scheduler: Callable[[Any], Any]) -> Callable[[], Training]:
    """A scheduler that is stepped between two batches."""

    def make() -> Training:
        model = network()
        optimizer = optim.AdamW(model.parameters(), 1e-2)
        scheduler = make_scheduler(optimizer)
        draws: list[int] = []

        def draw() -> tuple[Any, Any]:
            # The first batch comes before any step.
            if draws:
                scheduler.step()
            draws.append(1)
            return batch()

        return training(model, classify, draw, optimizer)

    return make


for name, scheduler in SCHEDULERS.items():
    case(f"scheduled_{name}", ci="float32" if name == "one_cycle" else "")(scheduled(scheduler))


@case("scheduled_in_the_step", eager="changes a number", dtypes=("float64",))
def scheduled_in_the_step() -> Training:
    model = network()
    optimizer = optim.AdamW(model.parameters(), 1e-2)
    scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, 7)

    def step(x: Any, target: Any) -> Any:
        optimizer.zero_grad()
        loss = classify(model, x, target)
        loss.backward()
        optimizer.step()
        scheduler.step()
        return loss

    return Training(step, batch, (model,))


@case("accumulated_gradients", ci="float64")
def accumulated_gradients() -> Training:
    """Four pieces of a batch, one step of the optimizer."""
    model = network()
    optimizer = optim.SGD(model.parameters(), 0.05, 0.9)

    def step(x: Any, target: Any) -> Any:
        optimizer.zero_grad()
        total = torch.zeros(())
        for piece, goal in zip(x.chunk(4), target.chunk(4), strict=True):
            loss = classify(model, piece, goal) / 4
            loss.backward()
            total += loss.detach()
        optimizer.step()
        return total

    return Training(step, batch, (model,))


@case("accumulated_over_calls")
def accumulated_over_calls() -> Training:
    """Gradients of every call are added up and never cleared."""
    model = network()

    def step(x: Any, target: Any) -> Any:
        loss = classify(model, x, target)
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.01 * p.grad
        return loss

    return Training(step, batch, (model,))


@case("averaged_weights", ci="float32")
def averaged_weights() -> Training:
    """A copy that follows the weights, and judges with them."""
    model = network()
    follower = copy.deepcopy(model).requires_grad_(False)
    optimizer = optim.Adam(model.parameters(), 1e-2)

    def step(x: Any, target: Any) -> Any:
        optimizer.zero_grad()
        with torch.no_grad():
            goal = follower(x).softmax(-1)
        scores = model(x)
        loss = F.cross_entropy(scores, target)
        loss = loss + 0.5 * F.kl_div(scores.log_softmax(-1), goal, reduction="batchmean")
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for mine, theirs in zip(follower.parameters(), model.parameters(), strict=True):
                mine.lerp_(theirs, 0.1)
        return loss

    return Training(step, batch, (model, follower))


@case("averaged_by_the_module", eager="numbers")
def averaged_by_the_module() -> Training:
    model = network()
    average = optim.swa_utils.AveragedModel(model, multi_avg_fn=optim.swa_utils.get_ema_multi_avg_fn(0.9))
    optimizer = optim.SGD(model.parameters(), 0.1)

    def step(x: Any, target: Any) -> Any:
        optimizer.zero_grad()
        loss = classify(model, x, target)
        loss.backward()
        optimizer.step()
        average.update_parameters(model)
        return loss

    return Training(step, batch, (model, average))


@case("groups_of_parameters", ci="float32")
def groups_of_parameters() -> Training:
    """No decay of biases, a slow body, a frozen first layer."""
    model = network()
    model[0].requires_grad_(False)
    weights = [p for p in model[2:].parameters() if p.ndim > 1]
    biases = [p for p in model[2:].parameters() if p.ndim == 1]
    groups = [{"params": weights, "weight_decay": 0.1}, {"params": biases, "lr": 1e-3, "weight_decay": 0.0}]
    return training(model, classify, batch, optim.AdamW(groups, 1e-2))


@case("penalties_of_weights")
def penalties_of_weights() -> Training:
    """Decay in the loss: absolute values, squares and a norm over rows."""

    def loss(model: Any, x: Any, target: Any) -> Any:
        weights = [p for p in model.parameters() if p.ndim == 2]
        sparse = sum(w.abs().sum() for w in weights)
        small = sum(w.pow(2).sum() for w in weights)
        rows = sum(w.norm(dim=1).sum() for w in weights)
        return classify(model, x, target) + 1e-3 * sparse + 1e-2 * small + 1e-3 * rows

    return training(network(), loss, batch)


@case("sharpness_aware")
def sharpness_aware() -> Training:
    """A step uphill, the gradient there, a step from where it was."""
    model = network()
    optimizer = optim.SGD(model.parameters(), 0.1)

    def step(x: Any, target: Any) -> Any:
        optimizer.zero_grad()
        loss = classify(model, x, target)
        loss.backward()
        with torch.no_grad():
            norm = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
            moves = [0.05 * p.grad / (norm + 1e-12) for p in model.parameters()]
            for p, move in zip(model.parameters(), moves, strict=True):
                p.add_(move)
        optimizer.zero_grad()
        classify(model, x, target).backward()
        with torch.no_grad():
            for p, move in zip(model.parameters(), moves, strict=True):
                p.sub_(move)
        optimizer.step()
        return loss

    return Training(step, batch, (model,))


@case("descent_by_hand")
def descent_by_hand() -> Training:
    """Weights that are no module's, gradients by autograd.grad, noise in the step."""
    model = network()

    def step(x: Any, target: Any) -> Any:
        loss = classify(model, x, target)
        parameters = list(model.parameters())
        with torch.no_grad():
            for p, g in zip(parameters, torch.autograd.grad(loss, parameters), strict=True):
                p.add_(g, alpha=-0.1).add_(torch.randn_like(p), alpha=1e-3)
        return loss

    return Training(step, batch, (model,))


@case("checkpointed")
def checkpointed() -> Training:
    from pullback.utils.checkpoint import checkpoint

    def loss(model: Any, x: Any, target: Any) -> Any:
        h = checkpoint(model[:2], x, use_reentrant=False)
        return F.cross_entropy(model[4](checkpoint(model[2:4], h, use_reentrant=False)), target)

    return training(network(), loss, batch)


@case("half_precision", eager="numbers", dtypes=("float32",))
def half_precision() -> Training:
    """Autocast and a scaler of gradients."""
    model = network()
    optimizer = optim.SGD(model.parameters(), 0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=128.0)

    def step(x: Any, target: Any) -> Any:
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16):
            loss = F.cross_entropy(model(x).float(), target)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss

    return Training(step, batch, (model,))


@case("values_beside_the_loss", eager="the shape of the result")
def values_beside_the_loss() -> Training:
    """A module that counts and averages in its buffers while it trains."""

    class Counting(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = network()
            self.register_buffer("seen", torch.zeros(3, dtype=torch.int64))
            self.register_buffer("mean", torch.zeros(9))

        def forward(self, x: Any) -> Any:
            with torch.no_grad():
                self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
            scores = self.body(x - self.mean)
            self.seen += torch.bincount(scores.detach().argmax(-1), minlength=3)[:3]
            return scores

    return training(Counting(), classify, batch)
