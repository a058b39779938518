"""Tell those who keep what Python code once found that a setting of the whole process has changed."""

from collections.abc import Callable

#: What is called then.
watchers: list[Callable[[], None]] = []


def changed() -> None:
    """Call all of them."""
    for watch in watchers:
        watch()
