"""Record which numbers of a stream a function takes, so that native code can ask the stream for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any

from ..random import Generator
from .recorder import Recorder
from .steps import DRAWN, Unrecorded

#: Draws of a recording at most.
_MOST = 8
#: What looks at a stream or moves it in a way that is not noted.
_REFUSED = ("coming", "double", "doubles", "give_back", "place", "to_end_of_block", "words")


@contextmanager
def told_draws(recorder: Recorder) -> Iterator[None]:
    """Record which of the numbers that small draws share (`Generator.made`) this thread takes in the block,
    and refuse its other draws. Methods of `Generator` are exchanged meanwhile, so only one thread may be in
    such a block: `recording` sees to that.
    """
    thread, within = get_ident(), list[None]()
    usual: dict[str, Any] = {
        name: vars(Generator)[name] for name in (*_REFUSED, "made", "mark", "next_normal")
    }

    def told() -> bool:
        return get_ident() == thread and not within

    def unasked(name: str, *given: Any) -> Any:
        within.append(None)
        try:
            return usual[name](*given)
        finally:
            within.pop()

    def made(*given: Any) -> Any:
        if not told():
            return usual["made"](*given)
        numbers = unasked("made", *given)
        if not numbers.size or not numbers.flags.c_contiguous or len(recorder.draws) == _MOST:
            raise Unrecorded("a draw of another kind")
        recorder.draws.append((recorder.remember(DRAWN, numbers), given))
        return recorder.told(numbers)

    def mark(*given: Any) -> Any:
        return unasked("mark", *given) if told() else usual["mark"](*given)

    def refusing(name: str) -> Any:
        def refused(*given: Any) -> Any:
            if told():
                raise Unrecorded(f"numbers of a stream by {name}")
            return usual[name](*given)

        return refused

    def next_normal(generator: Generator) -> Any:
        if told():
            raise Unrecorded("the second number of a pair")
        return usual["next_normal"].__get__(generator)

    exchanged = {name: refusing(name) for name in _REFUSED}
    exchanged |= {"made": made, "mark": mark}
    exchanged["next_normal"] = property(next_normal, usual["next_normal"].__set__)
    try:
        for name, method in exchanged.items():
            setattr(Generator, name, method)
        yield
    finally:
        for name, method in usual.items():
            setattr(Generator, name, method)
