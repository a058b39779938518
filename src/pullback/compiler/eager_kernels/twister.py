"""A native loop that makes the next blocks of words of a Mersenne twister, as NumPy's MT19937 makes them.

Matsumoto and Nishimura 1998, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random
number generator": the recurrence in place, then the tempering of each word.
"""

from __future__ import annotations

from collections.abc import Callable

from numpy import ndarray

from ...array.random import STATE_WORDS
from ..emit.emitter import Emitter, Module
from ..runtime.shared_kernels import address
from .jobs import Job, loop_variable, number, opened

#: How far the word that is mixed in lies ahead.
AHEAD = 397


class Twister:
    """The loop, made when it is first asked for."""

    def __init__(self) -> None:
        self._job: Job | None = None

    def filler(self) -> Callable[[ndarray, ndarray], None]:
        """Return ``fill(key, out)``, which writes blocks of words and leaves the last one's key."""
        if self._job is None:
            self._job = Job(_blocks())
        return self._fill

    def _fill(self, key: ndarray, out: ndarray) -> None:
        assert self._job is not None
        # A block follows from the one before: all of them are one part.
        self._job.run(out.size // STATE_WORDS, 1, (address(key), address(out)))


def _blocks() -> Emitter:
    ops = opened(Module(), {"key": "ptr", "out": "ptr"})
    with ops.loop(loop_variable("b"), "%lo", "%hi"):
        for name, begin, end, ahead in (
            ("n", 0, STATE_WORDS - AHEAD, AHEAD),
            ("m", STATE_WORDS - AHEAD, STATE_WORDS - 1, AHEAD - STATE_WORDS),
        ):
            with ops.loop(loop_variable(name), str(begin), str(end)):
                at = ops.counters[name]
                _twist(ops, at, number(ops, f"add i64 {at}, 1"), number(ops, f"add i64 {at}, {ahead}"))
        _twist(ops, str(STATE_WORDS - 1), "0", str(AHEAD - 1))
        start = number(ops, f"mul i64 {ops.counters['b']}, {STATE_WORDS}")
        with ops.loop(loop_variable("w"), "0", str(STATE_WORDS), innermost="1"):
            at = ops.counters["w"]
            word = number(ops, f"load i32, ptr {_place(ops, 'key', at)}, !llvm.access.group !0")
            word = _mixed(ops, word, "lshr", 11, -1)
            word = _mixed(ops, word, "shl", 7, 0x9D2C5680)
            word = _mixed(ops, word, "shl", 15, 0xEFC60000)
            word = _mixed(ops, word, "lshr", 18, -1)
            target = _place(ops, "out", number(ops, f"add i64 {start}, {at}"))
            ops.line(f"store i32 {word}, ptr {target}, !llvm.access.group !0")
    return ops


def _place(ops: Emitter, array: str, at: str) -> str:
    return number(ops, f"getelementptr i32, ptr %{array}, i64 {at}")


def _mixed(ops: Emitter, word: str, shift: str, by: int, mask: int) -> str:
    shifted = number(ops, f"{shift} i32 {word}, {by}")
    return number(ops, f"xor i32 {word}, {number(ops, f'and i32 {shifted}, {mask}')}")


def _twist(ops: Emitter, at: str, after: str, ahead: str) -> None:
    """Write the next word at a place."""
    high, low, mixed = (
        number(ops, f"load i32, ptr {_place(ops, 'key', place)}") for place in (at, after, ahead)
    )
    top, rest = number(ops, f"and i32 {high}, {-1 << 31}"), number(ops, f"and i32 {low}, {(1 << 31) - 1}")
    joined = number(ops, f"or i32 {top}, {rest}")
    odd = number(ops, f"sub i32 0, {number(ops, f'and i32 {low}, 1')}")
    last = number(ops, f"and i32 {odd}, {0x9908B0DF}")
    word = number(ops, f"xor i32 {mixed}, {number(ops, f'lshr i32 {joined}, 1')}")
    word = number(ops, f"xor i32 {word}, {last}")
    ops.line(f"store i32 {word}, ptr {_place(ops, 'key', at)}")
