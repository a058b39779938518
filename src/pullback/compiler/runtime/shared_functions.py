"""Machine code that all programs share, compiled on a thread while Python traces, lowers and plans.

LLVM does not hold the interpreter's lock, so the two go side by side. What is made ahead is made once for the
process, by functions that remember what they made; whoever needs it waits for the thread and asks them as
ever. Where the making fails, they are asked again and say why.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any

from ...array.threads import get_num_threads

#: What has been made.
_made: set[Hashable] = set()


class Ahead:
    """Makes what has not been made yet, for a ``with`` block; at its end it is made.

    Parameters
    ----------
    makers : dict of hashable to callable
        By a name of what it makes.
    """

    def __init__(self, makers: dict[Hashable, Callable[[], Any]]) -> None:
        self._makers = {name: maker for name, maker in makers.items() if name not in _made}
        self._thread: threading.Thread | None = None

    def __enter__(self) -> None:
        if self._makers and get_num_threads() > 1:
            self._thread = threading.Thread(target=self._make, daemon=True)
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            self._thread.join()

    def _make(self) -> None:
        for name, maker in self._makers.items():
            try:
                maker()
            except BaseException:  # noqa: BLE001  # who needs it asks again, and gets the error
                return
            _made.add(name)
