"""Define a future whose value is made by the one who waits for it.

Collectives must begin in the same order in every process. What follows one collective and begins another may
therefore not run when the first happens to be complete: it runs where it is waited for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...torch_names.futures import Future


class Deferred(Future[Any]):
    """Hold what `follow` makes of another future, complete; it may begin collectives and wait for them."""

    def __init__(self, before: Future[Any], follow: Callable[[Future[Any]], Any]) -> None:
        super().__init__()
        self._before = before
        self._follow = follow

    def wait(self) -> Any:
        """Run the function, the first time, and return what it gave."""
        if not self.done():
            self._before.wait()
            self.set_result(self._follow(self._before))
        return self.value()

    def then(self, callback: Callable[[Future[Any]], Any]) -> Future[Any]:
        """Return the future of what a function makes of this one when that is waited for."""
        return Deferred(self, callback)
