"""Collect the findings of a run: answers without a question, the gravest first, each once.

A check of single calls declares which ones it looks at, by the names of their functions.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ...core.blame import Place, place_at
from ..answer import Answer, texts
from ..source import At
from ..trace import Event

#: Kinds of findings from the gravest on; one that is not listed is in the middle.
ORDER = (
    "error", "call without parentheses", "no optimizer", "data not finite", "not finite", "lost history",
    "no gradient", "another model", "not held", "broadcast", "softmax twice", "one class",
    "wrong input of a loss", "accumulated", "cleared too early", "clipped too early", "zero gradient",
    "wrong axis", "never stepped", "order", "", "target", "vanishing", "exploding", "learning rate", "mode",
    "frozen", "note",
)  # fmt: skip

#: Findings that are printed; the gravest explain the others.
MOST = 12


#: What says where something is: a line, a call of the trace, a position in code.
Where = Place | Event | At | None


def located(where: Where) -> Place | None:
    """Return the line that something is at."""
    if isinstance(where, Event):
        return where.place
    return where if where is None or isinstance(where, Place) else place_at(*where)


class Findings:
    """Hold answers by rank; of answers of one kind about one line the first stays.

    `made` returns the line that makes a module.
    """

    def __init__(self, made: Callable[[Any], Place | None] = lambda module: None) -> None:
        self.made = made
        self._found: dict[tuple[str, str, int], tuple[int, int, Answer]] = {}

    def add(self, group: str, answer: Answer) -> None:
        """Add an answer under one of the groups of `ORDER`."""
        place = answer.place
        key = (answer.kind, "" if place is None else place.file, 0 if place is None else place.line)
        if key not in self._found:
            rank = ORDER.index(group) if group in ORDER else ORDER.index("")
            self._found[key] = (rank, len(self._found), answer)

    def tell(
        self, name: str, where: Where = None, seen: Iterable[str] = (), checked: str = "", /, **values: Any
    ) -> None:
        """Add the answer that `answers.toml` has under a name (`Answer.of`), under the group named there.

        `where` is a line, a call that was made there, or a position in code.
        """
        self.add(texts()[name].group, Answer.of(name, located(where), seen, checked, **values))

    def __iter__(self) -> Iterator[Answer]:
        return iter([answer for _, _, answer in sorted(self._found.values(), key=lambda f: f[:2])])

    def __len__(self) -> int:
        return len(self._found)

    def has(self, *groups: str) -> bool:
        """Return whether there is a finding of one of some groups."""
        ranks = {ORDER.index(group) for group in groups}
        return any(rank in ranks for rank, _, _ in self._found.values())


Check = Callable[[Event, Findings], None]

#: The checks of calls by the name of the function, in the order in which they look.
CHECKS: dict[str, list[Check]] = {}


def calls_of(*names: str) -> Callable[[Check], Check]:
    """Declare that a check looks at the calls of the functions of some names."""

    def declare(check: Check) -> Check:
        for name in names:
            CHECKS.setdefault(name, []).append(check)
        return check

    return declare


def look_at(event: Event, findings: Findings) -> None:
    """Let each check look at a call that is for it."""
    for check in CHECKS.get(event.name, ()):
        check(event, findings)
