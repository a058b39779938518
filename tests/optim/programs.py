"""Programs with optimizers that run under torch (to record) and under pullback (to compare)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

#: The optimizer's name and its options, as source.
CONFIGURATIONS = {
    f"{name}({options})": (name, options)
    for name, many in {
        "SGD": [
            "lr=.1", "lr=.1, momentum=.9, nesterov=True, weight_decay=.1",
            "momentum=.5, dampening=.3, maximize=True",
        ],
        "Adam": ["", "amsgrad=True, weight_decay=.1", "maximize=True, eps=1e-3", "lr=torch.tensor(.01)"],
        "AdamW": ["lr=.01", "amsgrad=True"],
        "NAdam": ["", "weight_decay=.1, momentum_decay=.01", "weight_decay=.1, decoupled_weight_decay=True"],
        "RAdam": ["lr=.1", "weight_decay=.1", "betas=(.5, .6), weight_decay=.1, decoupled_weight_decay=True"],
        "Adamax": ["", "weight_decay=.1, maximize=True"],
        "Adagrad": ["", "lr_decay=.1, weight_decay=.1, initial_accumulator_value=.2"],
        "Adadelta": ["", "rho=.5, weight_decay=.1", "maximize=True"],
        "RMSprop": ["", "centered=True, momentum=.9", "momentum=.5, weight_decay=.1"],
        "Rprop": ["", "etas=(.4, 1.3), step_sizes=(1e-3, .1)", "maximize=True"],
        "ASGD": ["", "t0=3, lambd=.1, weight_decay=.1", "alpha=.5"],
        "LBFGS": ["lr=.1, max_iter=5", "line_search_fn='strong_wolfe'", "history_size=2, max_iter=8"],
        "Adafactor": ["", "lr=.1, weight_decay=.1, d=2.", "eps=(1e-3, 1e-2), maximize=True"],
    }.items()
    for options in many
}  # fmt: skip

SCHEDULES = {
    "LambdaLR": "LambdaLR(o, [lambda t: 1 / (t + 1), lambda t: .5 ** t])",
    "MultiplicativeLR": "MultiplicativeLR(o, lambda t: .9)",
    "StepLR": "StepLR(o, 3, .5)",
    "MultiStepLR": "MultiStepLR(o, [2, 5, 5], .5)",
    "ConstantLR": "ConstantLR(o, .25, 4)",
    "LinearLR": "LinearLR(o, .25, .75, 4)",
    "ExponentialLR": "ExponentialLR(o, .8)",
    "PolynomialLR": "PolynomialLR(o, 6, 2.)",
    "CosineAnnealingLR": "CosineAnnealingLR(o, 4, .001)",
    "CosineAnnealingWarmRestarts": "CosineAnnealingWarmRestarts(o, 2, 2, .001)",
    "CyclicLR": "CyclicLR(o, .01, .1, 3, 2)",
    "CyclicLR triangular2": "CyclicLR(o, .01, [.1, .2], 2, mode='triangular2')",
    "CyclicLR exp_range": "CyclicLR(o, .01, .1, 2, mode='exp_range', gamma=.9)",
    "OneCycleLR": "OneCycleLR(o, .5, 15)",
    "OneCycleLR linear": (
        "OneCycleLR(o, [.5, .2], epochs=3, steps_per_epoch=5, anneal_strategy='linear', three_phase=True)"
    ),
    "SequentialLR": "SequentialLR(o, [ConstantLR(o, .5, 9), ExponentialLR(o, .9)], [4])",
    "ChainedScheduler": "ChainedScheduler([ConstantLR(o, .5, 4), ExponentialLR(o, .9)])",
    "ReduceLROnPlateau": "ReduceLROnPlateau(o, patience=1, cooldown=1, factor=.5)",
    "ReduceLROnPlateau max": (
        "ReduceLROnPlateau(o, 'max', patience=0, threshold_mode='abs', min_lr=[.01, .02])"
    ),
    "SWALR": "SWALR(o, .01, 4)",
    "SWALR linear": "SWALR(o, [.01, .02], 4, 'linear')",
}  # fmt: skip

SHAPES = [(3, 2), (4,), ()]


def _numbers(seed: int, complex_: bool) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    values = [np.asarray(random.standard_normal(shape)) for shape in SHAPES]
    return [v + 1j * random.standard_normal(v.shape) for v in values] if complex_ else values


def _plain(value: Any) -> Any:
    """Tensors as lists of numbers, complex ones as pairs; everything else as it is."""
    if hasattr(value, "detach"):
        value = value.detach()
        return (value.real.tolist(), value.imag.tolist()) if value.is_complex() else value.tolist()
    return value


def steps(configuration: str, torch: Any) -> dict[str, Any]:
    """The parameters after ten steps with given gradients (of LBFGS: three of a quadratic loss), and the keys
    of the state.
    """
    name, options = CONFIGURATIONS[configuration]
    record: dict[str, Any] = {}
    for kind in ("real",) if name in ("LBFGS", "Adafactor") else ("real", "complex"):
        params = [torch.nn.Parameter(torch.tensor(v)) for v in _numbers(0, kind == "complex")]
        optimizer = eval(f"torch.optim.{name}(params, {options})", {"torch": torch, "params": params})
        for step in range(3 if name == "LBFGS" else 10):
            if name == "LBFGS":
                optimizer.step(lambda: _loss(optimizer, params))  # noqa: B023  # called at once
                continue
            for param, grad in zip(params, _numbers(step + 1, kind == "complex"), strict=True):
                param.grad = torch.tensor(grad)
            if step == 4:
                params[1].grad = None
            optimizer.step()
        state = optimizer.state_dict()
        record[kind] = [_plain(p) for p in params]
        record["state"] = {str(k): list(v) for k, v in state["state"].items()}
        record["groups"] = [list(group) for group in state["param_groups"]]
    return record


def _loss(optimizer: Any, params: list[Any]) -> Any:
    optimizer.zero_grad()
    loss = sum(((p - 1) ** 2).sum() * (i + 1) + (p**4).sum() for i, p in enumerate(params))
    loss.backward()  # type: ignore[union-attr]  # a tensor
    return loss


def rates(name: str, torch: Any) -> dict[str, Any]:
    """The rates (and momenta) of two groups over 14 steps, and the keys of the schedule's state."""
    groups = [
        {"params": [torch.nn.Parameter(torch.ones(1))]},
        {"params": [torch.nn.Parameter(torch.ones(1))], "lr": 0.05},
    ]
    optimizer = torch.optim.SGD(groups, lr=0.1, momentum=0.9)
    names = {**vars(torch.optim.lr_scheduler), "SWALR": torch.optim.swa_utils.SWALR, "o": optimizer}
    schedule = eval(SCHEDULES[name], names)
    trace = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for step in range(14):
            trace.append([[group["lr"], group["momentum"]] for group in optimizer.param_groups])
            optimizer.step()
            if name.startswith("ReduceLROnPlateau"):
                schedule.step([5.0, 4.0, 4.0, 4.1, 4.0, 3.0, 3.0, 3.0][step % 8])
            else:
                schedule.step()
    return {"trace": trace, "last": schedule.get_last_lr(), "state": sorted(schedule.state_dict())}


def averages(torch: Any) -> dict[str, Any]:
    """Averaged models of three kinds after four updates, and batch statistics computed anew."""
    torch.manual_seed(0)
    swa = torch.optim.swa_utils
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    kinds = {
        "equal": swa.AveragedModel(model),
        "ema": swa.AveragedModel(model, multi_avg_fn=swa.get_ema_multi_avg_fn(0.9), use_buffers=True),
        "own": swa.AveragedModel(model, avg_fn=lambda a, p, n: 0.5 * a + 0.5 * p),
    }
    with torch.no_grad():
        for step in range(4):
            for param in model.parameters():
                param.add_(0.1 * step)
            model(torch.full((4, 3), float(step)))
            for averaged in kinds.values():
                averaged.update_parameters(model)
    batches = [torch.arange(12.0).reshape(4, 3) * k for k in (1, 2)]
    swa.update_bn(batches, kinds["equal"])
    return {
        name: {key: _plain(value) for key, value in averaged.state_dict().items()}
        for name, averaged in kinds.items()
    }
