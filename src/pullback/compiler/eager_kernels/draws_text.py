"""The text of the loop that fills the arrays of draws: see `draws`, which finds its machine code on disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ..emit.emitter import Emitter, Module
from ..runtime import engine
from . import jobs
from .draws import FIELDS
from .jobs import APART, loop_variable, opened
from .normals import uniform_double, write_blocks, write_wide_blocks


def text() -> str:
    """Return the module of the loop."""
    ops = opened(Module(), {"words": "ptr", "rows": "ptr"})
    with ops.loop(loop_variable("r"), "%lo", "%hi"):
        first = ops.value(f"mul i64 {ops.counters['r']}, {len(FIELDS)}")
        at, value = {}, {}
        for n, name in enumerate(FIELDS):
            at[name] = ops.entry("i64", "%rows", first, str(n))
            value[name] = ops.value(f"load i64, ptr {at[name]}")
        words = ops.entry("i32", "%words", value["from"])
        out = ops.value(f"inttoptr i64 {value['out']} to ptr")
        if engine.fused():
            write_blocks(ops, words, out, at["factors"], "0", value["blocks"])
            write_wide_blocks(ops, words, out, at["factors"], "0", value["wide_blocks"])
        _singles(ops, words, out, value["singles"])
        _doubles(ops, words, out, value["doubles"])
        _trials(ops, words, out, value, ops.value(f"load float, ptr {at['factors']}"))
        _integers(ops, words, out, value)
    return jobs.text(ops)


def _singles(ops: Emitter, words: str, out: str, count: str) -> None:
    with _each(ops, count) as each:
        word = ops.value(f"and i32 {_word(ops, words, each)}, {0xFFFFFF}")
        single = ops.value(f"uitofp i32 {word} to float")
        _store(ops, "float", ops.value(f"fmul float {single}, {2.0**-24:.24e}"), out, each)


def _doubles(ops: Emitter, words: str, out: str, count: str) -> None:
    with _each(ops, count) as each:
        _store(ops, "double", uniform_double(ops, words, each), out, each)


def _trials(ops: Emitter, words: str, out: str, value: Mapping[str, str], success: str) -> None:
    high, low = (ops.value(f"trunc i64 {value[name]} to i32") for name in ("high", "low"))
    with _each(ops, value["trials"]) as each:
        top, rest = _pair(ops, words, each)
        less, equal = (ops.value(f"icmp {kind} i32 {top}, {high}") for kind in ("ult", "eq"))
        tie = ops.value(f"and i1 {equal}, {ops.value(f'icmp ult i32 {rest}, {low}')}")
        found = ops.value(f"select i1 {ops.value(f'or i1 {less}, {tie}')}, float {success}, float 0.0")
        _store(ops, "float", found, out, each)


def _integers(ops: Emitter, words: str, out: str, value: Mapping[str, str]) -> None:
    # Divisions do not overlap: copies of the loop's body filled no sooner, and took LLVM 10 ms of 86.
    with _each(ops, value["integers"], "5") as each:
        word = ops.value(f"zext i32 {_word(ops, words, each)} to i64")
        rest = ops.value(f"urem i64 {word}, {value['high']}")
        _store(ops, "i64", ops.value(f"add i64 {rest}, {value['low']}"), out, each)


@contextmanager
def _each(ops: Emitter, count: str, kind: str = "1") -> Iterator[str]:
    """Write a loop of a kind of `engine.whole`."""
    with ops.loop(loop_variable("n"), "0", count, innermost=kind):
        yield ops.counters["n"]


def _pair(ops: Emitter, words: str, place: str) -> tuple[str, str]:
    """Return the 21 bits of the first of two words, and the second."""
    even = ops.value(f"shl i64 {place}, 1")
    top = ops.value(f"and i32 {_word(ops, words, even)}, {0x1FFFFF}")
    return top, _word(ops, words, ops.value(f"add i64 {even}, 1"))


def _word(ops: Emitter, words: str, place: str) -> str:
    return ops.read_entry("i32", words, place, more=f", align 4{APART}")


def _store(ops: Emitter, kind: str, value: str, out: str, place: str) -> None:
    ops.write_entry(kind, value, out, place, more=f", align 4{APART}")
