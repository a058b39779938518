"""(r) What compiling costs: the first call of rows b to l, and the peak memory of some steps of five.

Each sample is a process with an empty cache folder and a second one that finds what the first compiled. Peak
memory is counted from the imported library on; in the first process it includes the compiler's own.
"""

from __future__ import annotations

from benchmarks.case import ProcessRow

_COMPILED = frozenset({"pullback.compile", "torch.compile", "jax.jit"})
_STEPS = frozenset({"pullback", "pullback.compile", "torch"})
_CALLS = {
    "b": "chain of 200 scalar ops",
    "c": "Lorenz system",
    "d": "MLP 64-64-10",
    "e": "MLP 784-128-10",
    "f": "MLP 1024-4096-1000",
    "g": "LeNet",
    "h": "ConvNet",
    "i": "character GPT",
    "j": "4 million elements",
    "k": "logistic regression",
    "l-jacobian": "Jacobian",
    "l-hessian": "Hessian",
}


_SEQUENCES = {"s-encoder": "two encoder layers", "s-gru": "GRU"}


def _call(kind: str, name: str, what: str, target: float) -> ProcessRow:
    return ProcessRow(
        f"r-{kind}-{name}",
        f"first call, {what}" + (", from the disk cache" if kind == "cached" else ""),
        f"start:{name}",
        f"{kind}_s",
        "s",
        target=target,
        subject="pullback.compile",
        peers=_COMPILED,
        rounds=2,
        warm=False,
    )


def _memory(kind: str, name: str, what: str) -> ProcessRow:
    return ProcessRow(
        f"r-memory-{name}" + ("-cached" if kind == "cached" else ""),
        f"peak memory, {what}" + (", from the disk cache" if kind == "cached" else ""),
        f"start:{name}",
        f"{kind}_mb",
        "MB",
        target=1.0,
        target_is_absolute=False,
        subject="pullback.compile",
        peers=_STEPS,
        rounds=2,
        warm=False,
    )


ROWS = [
    *(
        _call(kind, name, what, target)
        for kind, target in (("first", 1.0), ("cached", 0.2))
        for name, what in _CALLS.items()
    ),
    *(
        _memory(kind, name, what)
        for kind in ("first", "cached")
        for name, what in [*((name, _CALLS[name]) for name in "fhi"), *_SEQUENCES.items()]
    ),
]
