"""torch.torch_version: the version string that compares as versions do, by PEP 440."""

import re
from collections.abc import Iterable
from operator import ge, gt, le, lt
from typing import Any

from .version import __version__ as current

#: Compiled by the first comparison (`re` keeps it): that takes 1 ms.
_PARTS = (
    r"\s*v?(?:(?P<epoch>\d+)!)?(?P<release>\d+(?:\.\d+)*)"
    r"(?:[-_.]?(?P<pre>alpha|beta|preview|pre|rc|a|b|c)[-_.]?(?P<pre_number>\d*))?"
    r"(?:-(?P<implicit_post>\d+)|[-_.]?(?P<post>post|rev|r)[-_.]?(?P<post_number>\d*))?"
    r"(?:[-_.]?(?P<dev>dev)[-_.]?(?P<dev_number>\d*))?"
    r"(?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?\s*"
)
_PRE_RANK = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "rc": 2, "pre": 2, "preview": 2}
#: Behind "a", "b" and "rc"; before them stand development releases of a release that has none of those.
_FINAL, _BEFORE_PRE = (3, 0), (-1, 0)


def _key(version: str) -> tuple[Any, ...] | None:
    """Return the key that sorts versions as PEP 440 does; None for what is no version."""
    if (found := re.fullmatch(_PARTS, version, re.IGNORECASE)) is None:
        return None
    part = found.groupdict()
    release = [int(n) for n in part["release"].split(".")]
    while release and release[-1] == 0:
        release.pop()
    post, dev = (-1, float("inf"))
    if part["post"] or part["implicit_post"]:
        post = int(part["implicit_post"] or part["post_number"] or 0)
    if part["dev"]:
        dev = int(part["dev_number"] or 0)
    if part["pre"]:
        pre = (_PRE_RANK[part["pre"].lower()], int(part["pre_number"] or 0))
    else:
        pre = _BEFORE_PRE if part["dev"] and post == -1 else _FINAL
    local = [
        (1, int(piece), "") if piece.isdigit() else (0, 0, piece.lower())
        for piece in re.split(r"[-_.]", part["local"] or "") if piece
    ]
    return int(part["epoch"] or 0), release, pre, post, dev, bool(local), local


class TorchVersion(str):
    """A version as a string that compares with strings and tuples as versions do.

    ``TorchVersion("1.10.0a") > "1.9"`` and ``TorchVersion("2.13.0") >= (2, 1)`` hold. With a string that is
    no version, strings are compared.
    """

    __slots__ = ()
    __module__ = "torch.torch_version"

    def _compared(self, other: Any, compare: Any, name: str) -> Any:
        text = other
        if not isinstance(other, str) and isinstance(other, Iterable):
            text = ".".join(str(part) for part in other)
        mine, theirs = _key(str(self)), _key(text) if isinstance(text, str) else None
        return getattr(str, name)(self, other) if mine is None or theirs is None else compare(mine, theirs)

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, lt, "__lt__")

    def __le__(self, other: Any) -> Any:
        return self._compared(other, le, "__le__")

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, gt, "__gt__")

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, ge, "__ge__")

    def __eq__(self, other: object) -> Any:
        return self._compared(other, lambda a, b: a == b, "__eq__")

    __hash__ = str.__hash__


__version__ = TorchVersion(current)

__all__ = ["TorchVersion"]
