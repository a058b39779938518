"""What an expression gives, in a form that can be recorded from torch and compared with pullback."""

from __future__ import annotations

import copy
import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

DATA = Path(__file__).parent / "data"


class Index:
    """An integer that is not an int."""

    def __index__(self) -> int:
        return 5


class Plain:
    """An object that is no number and no sequence."""


def outcome(expression: str, torch: Any) -> list[str]:
    """Evaluate an expression in which ``torch`` is the given namespace.

    Returns
    -------
    list of str
        ``["value", repr]`` or ``["error", class, text]``.
    """
    names = {"torch": torch, "np": np, "ml_dtypes": ml_dtypes, "copy": copy, "pickle": pickle}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = eval(expression, {**names, "Index": Index, "Plain": Plain})
    except Exception as error:  # noqa: BLE001  # any error is a result here
        return ["error", type(error).__name__, str(error)]
    return ["value", repr(value)]


def load(name: str) -> Any:
    """Return the recorded data of ``tests/data/<name>.json``."""
    return json.loads((DATA / f"{name}.json").read_text())


def save(name: str, data: Any) -> None:
    """Write ``tests/data/<name>.json``, one entry a line so that a change shows in a diff."""
    (DATA / f"{name}.json").write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n")
