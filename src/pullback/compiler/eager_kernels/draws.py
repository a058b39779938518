"""A native loop that fills the arrays of many random draws, one after another from one stretch of words.

A compiled program draws all that it draws before it computes. By array kernels a draw of a few hundred
numbers takes 10 to 70 µs, nearly all of it Python's; together they take what their numbers take. The bits are
those of `array.random_normal`, `array.random_uniform` and `array.random_transform`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy import ndarray

from ...array.random_integer import TWO_WORDS_FROM
from ...array.random_normal import BLOCK
from ..emit.emitter import Emitter, Module
from ..lower.index import Variable
from ..runtime import engine
from .jobs import Job, number, opened
from .normals import uniform_double, write_blocks, write_wide_blocks

#: Larger draws are shared out among threads, each by itself.
MOST = 1 << 16
_UNKNOWN = 1 << 62
#: The fields of a row: where its words begin, the address of its array, how many blocks of normal numbers in
#: float32 and in float64, numbers in [0, 1) of one and of two words, trials and integers there are, two
#: numbers in float32, or in float64 the first and the second, and the limits of a trial's two words, or how
#: many integers there are to choose from, and the least.
_FIELDS = (
    "from", "out", "blocks", "wide_blocks", "singles", "doubles", "trials", "integers", "factors", "second",
    "high", "low",
)  # fmt: skip


class Row:
    """One array, or a part of it, that a draw fills.

    Attributes
    ----------
    words : int
        How many words it takes.
    offset : int
        Where it begins in its array, in bytes.
    """

    def __init__(
        self, words: int, offset: int = 0, factors: tuple[float, float] = (0, 0), **fields: int
    ) -> None:
        self.words, self.offset = words, offset
        dtype = np.float64 if "wide_blocks" in fields else np.float32
        numbers = np.array(factors, dtype).view(np.int64).tolist()
        packed = dict(zip(("factors", "second"), numbers, strict=False))
        self.fields = [{**packed, **fields}.get(name, 0) for name in _FIELDS]


def rows(name: str, attrs: Sequence[Any], size: int, dtype: Any) -> list[Row] | None:
    """Return the rows of a draw, in the order of the stream; None where it is another kernel's."""
    if not 0 < size <= MOST:
        return None
    if dtype == np.int64 and name in ("random_below", "random_between"):
        least, stop = (0, attrs[0]) if name == "random_below" else attrs[:2]
        if stop is None or not 0 < stop - least < TWO_WORDS_FROM:
            return None
        return [Row(size, integers=size, high=stop - least, low=least)]
    if name == "normal" and dtype in (np.float32, np.float64) and size >= BLOCK:
        mean, std = attrs[:2]
        if std < 0 or not engine.fused():
            return None
        blocks, each = ("blocks", 1) if dtype == np.float32 else ("wide_blocks", 2)
        made = [Row(each * size, factors=(std, mean), **{blocks: size // BLOCK})]
        if size % BLOCK:
            # torch overwrites the last numbers with those of a block of their own.
            made.append(Row(each * BLOCK, 4 * each * (size - BLOCK), factors=(std, mean), **{blocks: 1}))
        return made
    if dtype == np.float64 and name == "uniform" and tuple(attrs[:2]) == (0, 1):
        return [Row(2 * size, doubles=size)]
    if dtype != np.float32:
        return None
    if name == "uniform" and tuple(attrs[:2]) == (0, 1):
        return [Row(size, singles=size)]
    if name in ("bernoulli_number", "dropout_noise"):
        p = attrs[0] if name == "bernoulli_number" else 1 - attrs[0]
        if not 0 <= p <= 1 or (name == "dropout_noise" and p == 0):
            return None
        # u < p of 53 bits compares whole numbers.
        high, low = divmod(math.ceil(math.ldexp(p, 53)), 2**32)
        value = 1 if name == "bernoulli_number" else np.float32(1) / np.float32(p)
        return [Row(2 * size, factors=(float(value), 0), trials=size, high=high, low=low)]
    return None


class Draws:
    """Draws that follow each other in a stream.

    Parameters
    ----------
    rows : sequence of Row
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = np.array([row.fields for row in rows], np.int64)
        counts = [row.words for row in rows]
        self._rows[:, 0] = np.cumsum([0, *counts[:-1]])
        self._words = sum(counts)
        self._offsets = np.array([row.offset for row in rows], np.int64)
        self._at = self._rows.ctypes.data

    def fill(self, generator: Any, addresses: Sequence[int]) -> None:
        """Draw what the arrays at some addresses, one for each row, are filled with."""
        with generator.lock:
            words: ndarray = generator.words(self._words)
            np.add(addresses, self._offsets, out=self._rows[:, 1])
            _job().run(len(self._rows), 1, (words.ctypes.data, self._at))


@functools.cache
def _job() -> Job:
    ops = opened(Module(), {"words": "ptr", "rows": "ptr"})
    with ops.loop(Variable("r", _UNKNOWN), "%lo", "%hi"):
        first = number(ops, f"mul i64 {ops.counters['r']}, {len(_FIELDS)}")
        at, value = {}, {}
        for n, name in enumerate(_FIELDS):
            place = number(ops, f"add i64 {first}, {n}")
            at[name] = number(ops, f"getelementptr i64, ptr %rows, i64 {place}")
            value[name] = number(ops, f"load i64, ptr {at[name]}")
        words = number(ops, f"getelementptr i32, ptr %words, i64 {value['from']}")
        out = number(ops, f"inttoptr i64 {value['out']} to ptr")
        if engine.fused():
            write_blocks(ops, words, out, at["factors"], "0", value["blocks"])
            write_wide_blocks(ops, words, out, at["factors"], "0", value["wide_blocks"])
        _singles(ops, words, out, value["singles"])
        _doubles(ops, words, out, value["doubles"])
        _trials(ops, words, out, value, number(ops, f"load float, ptr {at['factors']}"))
        _integers(ops, words, out, value)
    return Job(ops)


def _singles(ops: Emitter, words: str, out: str, count: str) -> None:
    with _each(ops, count) as each:
        word = number(ops, f"and i32 {_word(ops, words, each)}, {0xFFFFFF}")
        single = number(ops, f"uitofp i32 {word} to float")
        _store(ops, "float", number(ops, f"fmul float {single}, {2.0**-24:.24e}"), out, each)


def _doubles(ops: Emitter, words: str, out: str, count: str) -> None:
    with _each(ops, count) as each:
        _store(ops, "double", uniform_double(ops, words, each), out, each)


def _trials(ops: Emitter, words: str, out: str, value: Mapping[str, str], success: str) -> None:
    high, low = (number(ops, f"trunc i64 {value[name]} to i32") for name in ("high", "low"))
    with _each(ops, value["trials"]) as each:
        top, rest = _pair(ops, words, each)
        less, equal = (number(ops, f"icmp {kind} i32 {top}, {high}") for kind in ("ult", "eq"))
        tie = number(ops, f"and i1 {equal}, {number(ops, f'icmp ult i32 {rest}, {low}')}")
        found = number(ops, f"select i1 {number(ops, f'or i1 {less}, {tie}')}, float {success}, float 0.0")
        _store(ops, "float", found, out, each)


def _integers(ops: Emitter, words: str, out: str, value: Mapping[str, str]) -> None:
    with _each(ops, value["integers"]) as each:
        word = number(ops, f"zext i32 {_word(ops, words, each)} to i64")
        rest = number(ops, f"urem i64 {word}, {value['high']}")
        _store(ops, "i64", number(ops, f"add i64 {rest}, {value['low']}"), out, each)


@contextmanager
def _each(ops: Emitter, count: str) -> Iterator[str]:
    with ops.loop(Variable("n", _UNKNOWN), "0", count, innermost="1"):
        yield ops.counters["n"]


def _pair(ops: Emitter, words: str, place: str) -> tuple[str, str]:
    """Return the 21 bits of the first of two words, and the second."""
    even = number(ops, f"shl i64 {place}, 1")
    top = number(ops, f"and i32 {_word(ops, words, even)}, {0x1FFFFF}")
    return top, _word(ops, words, number(ops, f"add i64 {even}, 1"))


def _word(ops: Emitter, words: str, place: str) -> str:
    source = number(ops, f"getelementptr i32, ptr {words}, i64 {place}")
    return number(ops, f"load i32, ptr {source}, align 4, !llvm.access.group !0")


def _store(ops: Emitter, kind: str, value: str, out: str, place: str) -> None:
    target = number(ops, f"getelementptr {kind}, ptr {out}, i64 {place}")
    ops.line(f"store {kind} {value}, ptr {target}, align 4, !llvm.access.group !0")
