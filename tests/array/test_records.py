"""Hold the package's records against those of `dataclasses`."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import dataclass
from typing import Any

import pytest

from pullback.array.records import record


def _declared(decorate: Any) -> Any:
    @decorate(eq=False)
    class Base:
        first: int
        second: list[int]
        third: str | None = None

        @property
        def total(self) -> int:
            return self.first + len(self.second)

    @decorate(eq=False, kw_only=True)
    class Further(Base):
        fourth: int
        fifth: tuple[int, ...] = ()

    return Base, Further


@record(eq=False)
class Plain:
    name: str
    values: tuple[int, ...] = ()


OURS, THEIRS = _declared(record), _declared(dataclass)


@pytest.mark.parametrize("which", [0, 1])
def test_constructors_take_what_those_of_dataclasses_take(which: int) -> None:
    ours, theirs = (inspect.signature(made[which]).parameters.values() for made in (OURS, THEIRS))
    assert [(p.name, p.kind, p.default) for p in ours] == [(p.name, p.kind, p.default) for p in theirs]


@pytest.mark.parametrize(
    "given", [((1, [2]), {"fourth": 3}), ((1,), {"second": [2], "third": "x", "fourth": 3, "fifth": (4,)})]
)
def test_records_hold_what_they_were_given(given: Any) -> None:
    ours, theirs = (made[1](*given[0], **given[1]) for made in (OURS, THEIRS))
    assert vars(ours) == vars(theirs)
    assert ours.total == theirs.total
    assert ours == ours != OURS[1](*given[0], **given[1])


@pytest.mark.parametrize("given", [((1,), {"fourth": 3}), ((1, []), {}), ((1, [], None, 4), {})])
def test_what_is_missing_or_too_much_is_refused(given: Any) -> None:
    for made in (OURS, THEIRS):
        with pytest.raises(TypeError):
            made[1](*given[0], **given[1])


def test_records_are_copied_and_pickled() -> None:
    plain = Plain("x", (1, 2))
    for other in (copy.copy(plain), pickle.loads(pickle.dumps(plain))):
        assert type(other) is Plain
        assert vars(other) == vars(plain)
