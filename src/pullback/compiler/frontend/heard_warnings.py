"""Warnings that a trace has heard, given again by each call."""

from __future__ import annotations

import re
import warnings
from pathlib import PurePath
from typing import Any


class WarnAgain:
    """A function that gives a warning as Python's filters are then.

    Parameters
    ----------
    heard : warnings.WarningMessage
    """

    def __init__(self, heard: Any) -> None:
        self.message = heard.message
        self.category = heard.category
        self.file = heard.filename
        self.line = heard.lineno
        self._registry: dict[Any, Any] = {}

    def __call__(self) -> None:
        warnings.warn_explicit(
            self.message, self.category, self.file, self.line, registry=self._registry
        )

    def is_error(self) -> bool:
        """Return whether the first filter that takes the warning makes an error of it."""
        module = PurePath(self.file).with_suffix("").as_posix()
        for action, text, category, where, line in warnings.filters:
            if (
                (text is None or re.match(text, str(self.message)) is not None)
                and issubclass(self.category, category)
                and (where is None or re.match(where, module) is not None)
                and line in (0, self.line)
            ):
                return action == "error"
        return False
