"""Exchanges in parts: what is asked for meanwhile begins only once their last part has, in every process."""

from __future__ import annotations

from collections.abc import Callable

from pullback.distributed.turns import Line


class Request:
    """An exchange of which the test says when it has ended."""

    def __init__(self) -> None:
        self.has_ended = False

    def Test(self) -> bool:
        return self.has_ended


def start(name: str, begun: dict[str, Request]) -> Callable[[], Request]:
    return lambda: begun.setdefault(name, Request())


def test_parts_begin_one_after_the_other_and_before_what_comes_later() -> None:
    line = Line()
    begun: dict[str, Request] = {}
    assert not line
    large = line.add([start("first part", begun), start("second part", begun)])
    small = line.add([start("small", begun)])
    last = line.add([start("last", begun)])
    # whichever is asked, nothing overtakes
    assert not small.Test() and not last.Test() and not large.Test()
    assert [*begun] == ["first part"]
    begun["first part"].has_ended = True
    assert not last.Test()
    assert [*begun] == ["first part", "second part", "small", "last"]
    assert not line
    begun["last"].has_ended = True
    assert last.Test() and not small.Test() and not large.Test()
    begun["second part"].has_ended = begun["small"].has_ended = True
    assert large.Test() and small.Test()


def test_finish_waits_until_all_parts_have_begun() -> None:
    line = Line()
    begun: dict[str, Request] = {}

    def second() -> Request:
        return begun.setdefault("second", Request())

    def first() -> Request:
        request = begun.setdefault("first", Request())
        request.has_ended = True
        return request

    turn = line.add([first, first, second])
    line.finish()
    assert "second" in begun
    assert not turn.Test()
