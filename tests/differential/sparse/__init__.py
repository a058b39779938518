"""Sparse tensors against torch's: what every expression of `cases` gives in every layout."""

from __future__ import annotations

from typing import Any

from .cases import cases
from .run import outcome


def sample() -> list[tuple[str, str, str]]:
    """The cases that are recorded."""
    return list(cases())[::5]


def record(torch: Any) -> dict[str, Any]:
    """What a module gives, as data: the distinct texts, and for each case of the sample the number of its
    text.
    """
    texts: dict[str, int] = {}
    numbers = [texts.setdefault(outcome(*case, torch), len(texts)) for case in sample()]
    return {"torch": torch.__version__, "texts": list(texts), "cases": numbers}
