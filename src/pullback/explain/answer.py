"""Hold the answer to a question about a gradient or an error: the cause, the line, the evidence, the mend."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..core.blame import Place


class Text(NamedTuple):
    """Hold what `answers.toml` has under a name, with the values left out: ``{event.name}``, ``{size:.3g}``.

    `group` is what a finding is listed under, `error` has parts of the messages of torch's that it explains.
    Because of it the slope of the ops of `flat` is 0, and those of `not_finite` give NaN or infinities, which
    the test `when` of `patterns.TESTS` shows.
    """

    cause: str
    seen: Sequence[str] = ()
    mend: str = ""
    checked: str = ""
    group: str = ""
    error: Sequence[str] = ()
    flat: Sequence[str] = ()
    not_finite: Sequence[str] = ()
    when: str = ""


@cache
def texts() -> dict[str, Text]:
    """Return what answers and findings say, by name, reading it on first use."""
    import tomllib

    table = tomllib.loads(Path(__file__).with_name("answers.toml").read_text("utf-8"))
    return {name: Text(**fields) for name, fields in table.items()}


def kind_of(name: str) -> str:
    """Return the kind of answers that a name of `answers.toml` begins with."""
    return name.partition(":")[0]


@dataclass(frozen=True)
class Answer:
    """Answer one of the questions `why_none`, `why_zero`, `why_nan`, `why_error`.

    Attributes
    ----------
    kind : str
        The cause in a word or two, for programs: "detached", "in-place change", "square root at 0", …
    cause : str
        The cause in a sentence.
    place : Place or None
        The line to look at; None where no line of the program is known.
    evidence : tuple of str
        What was seen that leads there.
    mend : str
        What to change.
    checked : str
        What the tool has run again with the mend applied to the numbers, and that the symptom went; empty
        where it has not.
    """

    kind: str
    cause: str
    place: Place | None = None
    evidence: tuple[str, ...] = field(default=())
    mend: str = ""
    checked: str = ""

    @classmethod
    def of(
        cls, name: str, place: Place | None = None, seen: Iterable[str] = (), checked: str = "", /,
        **values: Any,
    ) -> Answer:
        """Build the answer that `answers.toml` has under a name, with the values that the text leaves out.

        The name is the kind, and behind a colon what tells answers of one kind apart. `seen` is evidence
        beside that of the text.
        """
        text = texts()[name]
        cause, mend, run_again, *told = (
            part.format(**values) for part in (text.cause, text.mend, text.checked, *text.seen)
        )
        return cls(kind_of(name), cause, place, (*told, *seen), mend, checked or run_again)

    @property
    def certain(self) -> bool:
        """Return whether the counterfactual was checked; otherwise the cause is the likeliest one."""
        return bool(self.checked)

    def __str__(self) -> str:
        lines = [self.cause]
        if self.place is not None:
            lines.append(f"  {'where' if self.certain else 'likely where'}: {self.place}")
        lines += [f"  seen: {one}" for one in self.evidence]
        if self.mend:
            lines.append(f"  mend: {self.mend}")
        if self.checked:
            lines.append(f"  checked: {self.checked}")
        return "\n".join(lines)

    def in_a_line(self) -> str:
        """Return place, cause and mend in one line."""
        where = ""
        if self.place is not None:
            where = f"{os.path.basename(self.place.file)}:{self.place.line}: "
            if self.place.code:
                where += f"`{self.place.code}`: "
        cause = self.cause if self.certain or self.cause.startswith("Probably") else f"Probably: {self.cause}"
        mend = f" Mend: {self.mend}." if self.mend else ""
        return f"{where}{cause}{mend}{f' Checked: {self.checked}.' if self.checked else ''}"

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data."""
        place = self.place
        return {
            "kind": self.kind, "cause": self.cause, "file": None if place is None else place.file,
            "line": None if place is None else place.line, "code": None if place is None else place.code,
            "evidence": list(self.evidence), "mend": self.mend, "certain": self.certain,
            "checked": self.checked,
        }  # fmt: skip

    __repr__ = __str__


#: Answers about leaves and losses, by id, that recordings found while the values were there; of the
#: recordings that are on, the innermost last.
kept: list[dict[int, Answer]] = []

#: How to ask so that the values are there.
ASK_AGAIN = (
    "run the program with `python -m pullback explain`, or the call within `explain.record()`; or ask before "
    "`backward`, or after `backward(retain_graph=True)`"
)


def kept_answer(tensor: object) -> Answer | None:
    """Return what a recording that is on has found out about a tensor."""
    return next((answers[id(tensor)] for answers in reversed(kept) if id(tensor) in answers), None)
