"""Let pickle find the Python functions behind built-in ones (`tensor/builtin.py`)."""

from typing import Any

import pullback

from ..tensor.builtin import BEHIND


def __getattr__(name: str) -> Any:
    if name not in BEHIND and not name.startswith("__"):
        # Names of torch's are published when they are first asked for.
        getattr(pullback, name, None)
        for place in ("linalg", "fft", "special", "sparse", "nested"):
            getattr(pullback, place)
        _ = pullback.nn.functional
    if name in BEHIND:
        return BEHIND[name]
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
