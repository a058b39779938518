"""Hold the package's named tuples against those of `typing`."""

from __future__ import annotations

import copy
import inspect
import pickle
import typing

import pytest

from pullback.array import named_tuples


def _declared(base: typing.Any) -> typing.Any:
    class Pair(base):
        """Two numbers."""

        first: int
        second: float = 2.0

        @property
        def total(self) -> float:
            return self.first + self.second

        def __repr__(self) -> str:
            return f"{self.first}, {self.second}"

    return Pair


class Plain(named_tuples.NamedTuple):
    name: str
    values: tuple[int, ...] = ()


OURS, THEIRS = _declared(named_tuples.NamedTuple), _declared(typing.NamedTuple)


def test_classes_say_of_themselves_what_typing_says() -> None:
    names = ("_fields", "_field_defaults", "__match_args__", "__doc__", "__module__", "__qualname__")
    for name in (*names, "__bases__"):
        assert getattr(OURS, name) == getattr(THEIRS, name), name
    assert str(inspect.signature(OURS)) == "(first, second=2.0)"
    assert not hasattr(OURS(1), "__dict__")


@pytest.mark.parametrize("call", [
    lambda cls: cls(1),
    lambda cls: cls(second=3, first=1)._replace(first=5),
    lambda cls: cls(1, 2)._asdict(),
    lambda cls: cls._make([1, 2]),
    lambda cls: cls._make([1]),
    lambda cls: cls(),
    lambda cls: cls(1, 2, 3),
    lambda cls: cls(1, third=3),
    lambda cls: cls(1).total,
    lambda cls: copy.copy(cls(1, 4)),
    lambda cls: setattr(cls(1), "first", 2),
])  # fmt: skip
def test_calls_give_what_those_of_typing_give(call: typing.Any) -> None:
    told = []
    for cls in (OURS, THEIRS):
        try:
            made = call(cls)
            told.append((made, repr(made)))
        except (TypeError, AttributeError) as error:
            told.append((type(error), str(error)))
    assert told[0] == told[1]


def test_a_class_of_a_module_is_printed_and_pickled() -> None:
    made = Plain("a", (1,))
    assert repr(made) == "Plain(name='a', values=(1,))"
    assert pickle.loads(pickle.dumps(made)) == made
    assert type(pickle.loads(pickle.dumps(made))) is Plain
    assert copy.deepcopy(made) == made
    with pytest.raises((TypeError, ValueError), match="Got unexpected field names"):
        made._replace(size=1)  # type: ignore[call-arg]  # which is what it refuses
