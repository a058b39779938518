"""Training that is saved, read back and gone on with, for every optimizer: what torch and pullback
both run.
"""

from __future__ import annotations

import io
from typing import Any

OPTIMIZERS: dict[str, dict[str, Any]] = {
    "SGD": {"lr": 0.1, "momentum": 0.9, "nesterov": True}, "Adam": {"lr": 0.01, "amsgrad": True},
    "AdamW": {"lr": 0.01}, "NAdam": {"lr": 0.01}, "RAdam": {"lr": 0.01}, "Adamax": {"lr": 0.01},
    "Adagrad": {"lr": 0.1, "lr_decay": 0.01}, "Adadelta": {},
    "RMSprop": {"lr": 0.01, "momentum": 0.5, "centered": True}, "Rprop": {}, "ASGD": {"lr": 0.1},
    "LBFGS": {"lr": 0.5, "max_iter": 3}, "Adafactor": {"lr": 0.01}, "Muon": {"lr": 0.01},
}  # fmt: skip


def _steps(optimizer: Any, a: Any, b: Any) -> None:
    def closure() -> Any:
        optimizer.zero_grad()
        loss = ((a @ b).tanh() ** 2).sum() + (a**4).sum()
        loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)


def resumed(torch: Any, name: str) -> list[float]:
    """The elements after two steps, a checkpoint, and two steps of an optimizer that was made anew."""
    torch.manual_seed(0)
    dtype = torch.float64
    params = [torch.nn.Parameter(torch.rand(size, dtype=dtype)) for size in ((4, 3), (3, 2))]
    options = OPTIMIZERS[name]
    first = getattr(torch.optim, name)(params, **options)
    schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(first, 3)
    _steps(first, *params)
    schedule.step()
    file = io.BytesIO()
    torch.save({"optimizer": first.state_dict(), "schedule": schedule.state_dict()}, file)
    file.seek(0)
    checkpoint = torch.load(file)
    again = getattr(torch.optim, name)(params, **options)
    schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(again, 3)
    again.load_state_dict(checkpoint["optimizer"])
    schedule.load_state_dict(checkpoint["schedule"])
    _steps(again, *params)
    schedule.step()
    lr: float = again.param_groups[0]["lr"]
    return [lr, *(x for p in params for x in p.detach().flatten().tolist())]
