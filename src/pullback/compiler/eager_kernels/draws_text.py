"""The text of the loop that fills the arrays of draws: see `draws`, which finds its machine code on disk.

It is written in vectors: LLVM's passes took four fifths of the time for it, in each first call with draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from ..emit.emitter import Emitter, Module
from ..runtime import engine
from . import jobs
from .draws import FIELDS
from .jobs import loop_variable, opened
from .normals import Numbers, uniform_double, write_blocks, write_wide_blocks


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
    _each(ops, count, 4, "float", lambda do, at: do.write(do.single(words, at), out, at))


def _doubles(ops: Emitter, words: str, out: str, count: str) -> None:
    _each(ops, count, 8, "double", lambda do, at: do.write(uniform_double(do, words, at), out, at))


def _trials(ops: Emitter, words: str, out: str, value: Mapping[str, str], success: str) -> None:
    high = ops.value(f"shl i64 {value['high']}, 32")
    limit = ops.value(f"or i64 {high}, {value['low']}")

    def write(do: Numbers, place: str) -> None:
        drawn, limits = do.bits_of_pairs(words, place), do.same(limit, "i64")
        less = do.instruction(f"icmp ult {do.type('i64')} {drawn.name}, {limits.name}", "i1")
        do.write(do.select(less, do.same(success, "float"), 0), out, place)

    _each(ops, value["trials"], 8, "float", write)


def _integers(ops: Emitter, words: str, out: str, value: Mapping[str, str]) -> None:
    span = ops.value(f"trunc i64 {value['high']} to i32")
    with _counting(ops, "0", value["integers"], 1) as place:
        rest = ops.value(f"urem i32 {ops.read_entry('i32', words, place)}, {span}")
        number = ops.sum(ops.value(f"zext i32 {rest} to i64"), value["low"])
        ops.write_entry("i64", number, out, place, more=", align 4")


def _each(ops: Emitter, count: str, size: int, kind: str, write: Callable[[Numbers, str], None]) -> None:
    """Write the loop over two registers of numbers of so many bytes, and what is left one by one.

    The code generator stores vectors of two registers from behind, for which 20,000 numbers took 1.4 to 1.7
    times as long: each register is written for itself.
    """
    lanes = engine.register_bytes() // size
    whole = ops.value(f"and i64 {count}, {-2 * lanes}")
    with _counting(ops, "0", whole, 2 * lanes) as place:
        for at in (place, ops.sum(place, str(lanes))):
            write(Numbers(ops, lanes, kind), at)
    with _counting(ops, whole, count, 1) as place:
        write(Numbers(ops, 1, kind), place)


@contextmanager
def _counting(ops: Emitter, start: str, stop: str, step: int) -> Iterator[str]:
    """Write a loop around a body without loops. It counts in a register: without passes an emitter's loops
    count in memory, and 20,000 numbers took up to 1.5 times as long.
    """
    index = ops.fresh()
    label = f"l{index[2:]}"
    ops.lines += [
        f"  br label %{label}", f"{label}:", f"  br label %{label}_head", f"{label}_head:",
        f"  {index} = phi i64 [{start}, %{label}], [{index}_next, %{label}_body]",
        f"  {index}_more = icmp slt i64 {index}, {stop}",
        f"  br i1 {index}_more, label %{label}_body, label %{label}_exit", f"{label}_body:",
    ]  # fmt: skip
    yield index
    ops.lines += [
        f"  {index}_next = add nuw nsw i64 {index}, {step}", f"  br label %{label}_head", f"{label}_exit:",
    ]  # fmt: skip
