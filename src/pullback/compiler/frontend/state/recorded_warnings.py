"""Warnings that a trace has met, given again by each call."""

import re
import sys
import warnings
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from ....core.blame import outer_frame, own_file


def hearing(effect: Callable[..., None]) -> Callable[..., None]:
    """Return what makes a warning that a trace meets an effect.

    The levels of warnings count the frames of an eager call. Where one ends in this package, the user's line
    is told.
    """

    def hear(message: object, category: type[Warning], file: str, line: int, *_: Any) -> None:
        if own_file[file]:
            frame = outer_frame(sys._getframe(1))
            file, line = frame.f_code.co_filename, frame.f_lineno
        effect(WarnAgain(message, category, (file, line)))

    return hear


class WarnAgain:
    """A function that gives a warning as Python's filters are then.

    Parameters
    ----------
    message : Warning or str or Deferred
        One that is not known yet is given to each call.
    where : tuple of str and int
        The file and line that it tells.
    module : str or None
        The module that it tells; None for that of the file's name.
    names : dict or None
        The globals that remember which warnings were given; None where nothing of the user's does.
    """

    def __init__(
        self, message: Any, category: type[Warning], where: tuple[str, int], module: str | None = None,
        names: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.message = message
        self.category = category
        self.file, self.line = where
        self._module = module
        self._names = {} if names is None else names

    def __call__(self, _: None = None, text: str | None = None) -> None:
        # A module that is None silences a warning.
        module: Any = {} if self._module is None else {"module": self._module}
        warnings.warn_explicit(
            self.message if text is None else text, self.category, self.file, self.line,
            registry=self._names.setdefault("__warningregistry__", {}), **module,
        )  # fmt: skip

    def is_error(self) -> bool:
        """Return whether a filter makes the warning an error; of a text not known yet, whether one may."""
        module = self._module or PurePath(self.file).with_suffix("").as_posix()
        known = isinstance(self.message, (str, Warning))
        for action, text, category, where, line in warnings.filters:
            if (
                (text is None or not known or re.match(text, str(self.message)) is not None)
                and issubclass(self.category, category)
                and (where is None or re.match(where, module) is not None)
                and line in (0, self.line)
            ):
                if action == "error":
                    return True
                if known or text is None:
                    return False
        return False
