"""What decides the last bits of L-BFGS, as a function of the library: sums in their order, and whole runs."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

#: Lengths with every kind of rest, and those about which sums begin to be put aside.
LENGTHS = (*range(1, 71), 127, 511, 512, 543, 1031, 4095, 8192)

RUNS: dict[str, dict[str, Any]] = {
    "plain": {"lr": 0.1},
    "short history": {"lr": 0.3, "history_size": 3, "max_iter": 8},
    "steps of one iteration": {"max_iter": 1},
}


def vectors(length: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Two float32 vectors and a factor, all bits of their significands used."""
    random = np.random.RandomState(length)
    x, y = random.standard_normal((2, length)).astype(np.float32)
    return x, y, float(np.float32(random.standard_normal()))


def digest(*values: Any) -> str:
    whole = b"".join(np.asarray(value, np.float32).tobytes() for value in values)
    return hashlib.sha256(whole).hexdigest()[:16]


def sums(torch: Any) -> dict[str, list[Any]]:
    """Dot product, sum and scaled sum of vectors of each length."""
    record: dict[str, list[Any]] = {}
    for length in LENGTHS:
        x, y, factor = vectors(length)
        a, b = torch.tensor(x), torch.tensor(y)
        scaled = torch.add(a, b, alpha=factor)
        record[str(length)] = [torch.dot(a, b).item(), a.sum().item(), digest(scaled.numpy())]
    return record


def runs(torch: Any) -> dict[str, dict[str, Any]]:
    """Each run's parameters and state, but for the last loss, which may be summed in any order."""
    return {
        f"{name}, {length}": _run(torch, options, length)
        for name, options in RUNS.items()
        for length in (3, 10, 17, 100)
    }


def _run(torch: Any, options: dict[str, Any], length: int) -> dict[str, Any]:
    start, target, _ = vectors(length)
    param = torch.nn.Parameter(torch.tensor(start))
    goal = torch.tensor(target)
    optimizer = torch.optim.LBFGS([param], **options)

    def closure() -> Any:
        optimizer.zero_grad()
        difference = param - goal
        loss = (difference * difference).sum() + (difference * difference * difference * difference).sum()
        loss.backward()
        return loss

    for _ in range(3):
        optimizer.step(closure)
    state = optimizer.state[param]
    return {
        "param": digest(param.detach().numpy()),
        "counts": [state["n_iter"], state["func_evals"]],
        "t": float(state["t"]),
        **{name: digest(state[name].numpy()) for name in ("d", "H_diag", "prev_flat_grad")},
        **{
            name: digest(*(v.numpy() for v in state[name] if v is not None))
            for name in ("old_dirs", "old_stps", "ro", "al")
        },
    }
