"""Functions in the restricted Python (`compiler.emit.restricted_python`) do natively what they say."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from pullback.compiler.emit.restricted_python import (
    Bool,
    Bytes,
    Int,
    Program,
    Words,
    apart,
    copy,
    load,
    load_real,
    native,
    null,
    room,
    store,
)

pytest.importorskip("llvmlite")

LIMIT = 40


@native
def fibonacci(n: Int) -> Int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@native
def is_between(low: Int, x: Int, high: Int) -> Bool:
    return low <= x < high and not (x == 3 or x == 5)


@native
def joined(words: Words, count: Int) -> Int:
    """Add words up to a limit, leave odd ones out, and stop at a zero; -1 for no words."""
    if words is null:
        return -1
    total = 0
    kept = room(1)
    for n in range(count):
        word = words[n]
        if word == 0:
            break
        if word & 1 != 0 or not is_between(0, word, LIMIT):
            continue
        total += word
        kept[0] = word
    else_kept = kept[0] if total > 0 else 0
    return total * 1000 + else_kept


@native
def gcd(a: Int, b: Int) -> Int:
    while True:
        if b == 0:
            return a
        rest = a - a // b * b
        a = b
        b = rest


@native
def low_byte(words: Words) -> Int:
    kept = room(1)
    copy(kept, words, 8)
    return load(kept, 8)


@native
def skips(words: Words) -> Bool:
    """The second operand is read only where the first does not say all: at no address it may not be."""
    return words is null or words[0] > 5


BITS = 32


@native
def numbers(given: Bytes, out: Bytes, count: Int) -> Int:
    """Double numbers, and count those that differ from themselves."""
    none = 0
    for n in apart(0, count):
        number = load_real(given + n * (BITS // 8), BITS)
        store(out + n * (BITS // 8), BITS, number + number)
        none = none + (1 if number != number else 0)
    return (none << 4) | (count >> 1)


@native
def shared(words: list[int], count: int) -> int:
    """Write Fibonacci's numbers, and return the next one."""
    a, b = 0, 1
    for n in range(count):
        words[n], a, b = a, b, a + b
    return a


@native
def backwards(words: Words) -> Int:
    return load(words - 1, 64)


@pytest.fixture(scope="module")
def functions() -> Any:
    import llvmlite.binding as llvm

    from pullback.compiler.emit.codegen import machine
    from pullback.compiler.runtime import engine

    program = Program([fibonacci, joined, gcd, low_byte, skips, numbers, shared], {}, {"BITS": 64})
    copying = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1 immarg)"
    module = llvm.parse_assembly(engine.whole([copying, program.text()]))
    module.verify()
    compiled = llvm.create_mcjit_compiler(module, machine())
    compiled.finalize_object()

    def call(name: str, *given: int, result: Any = ctypes.c_int64) -> Any:
        kind = ctypes.CFUNCTYPE(result, *(ctypes.c_int64,) * len(given))
        return kind(compiled.get_function_address(name))(*given)

    return call


def test_functions_call_themselves_and_each_other(functions):
    assert functions("fibonacci", 20) == 6765
    assert functions("gcd", 84, 30) == 6


def test_loops_are_left_and_gone_on_with(functions):
    words = np.array([4, 7, 90, 10, 0, 2])
    assert functions("joined", words.ctypes.data, len(words)) == 14_010
    assert functions("joined", words.ctypes.data, 2) == 4_004
    assert functions("joined", words.ctypes.data, 0) == 0
    assert functions("joined", 0, 3) == -1


def test_memory_is_read_by_width_and_only_where_it_matters(functions):
    words = np.array([0x1234])
    assert functions("low_byte", words.ctypes.data) == 0x34
    assert functions("skips", 0, result=ctypes.c_bool)
    assert functions("skips", words.ctypes.data, result=ctypes.c_bool)


def test_a_program_has_constants_of_its_own_and_loops_whose_steps_are_apart(functions):
    given, out = np.array([1.5, np.nan, -2.0, np.nan, 1e300]), np.empty(5)
    assert functions("numbers", given.ctypes.data, out.ctypes.data, 5) == 2 * 16 + 2
    np.testing.assert_array_equal(out, 2 * given)
    text = Program([numbers], {}).text()
    assert text.count("!llvm.access.group !0") == 2 and "!llvm.loop !1" in text
    assert "load float" in text and "load float" not in Program([numbers], {}, {"BITS": 64}).text()
    assert Program([numbers], {}).key() != Program([numbers], {}, {"BITS": 64}).key()


def test_a_function_runs_as_python_and_natively(functions):
    words, numbers = np.zeros(10, np.int64), [0] * 10
    assert functions("shared", words.ctypes.data, 10) == shared(numbers, 10) == 55
    assert words.tolist() == numbers


def test_nothing_is_taken_from_an_address():
    with pytest.raises(AssertionError, match="words - 1"):
        Program([backwards], {}).text()


def test_a_key_tells_sources_constants_and_members(monkeypatch):
    before = Program([joined], {}).key()
    assert Program([joined], {}).key() == before
    monkeypatch.setitem(globals(), "LIMIT", 41)
    assert Program([joined], {}).key() != before


LAST = """
import codecs, os
from pullback.compiler.emit import python_functions

class Last:
    made = python_functions.function("made", python_functions.addresses()["pullback_PyErr_Clear"], None)

    def __call__(self, name): ...

    def __del__(self, made=made, write=os.write, text=repr):
        write(1, text(made).encode())

codecs.register(Last())  # what the interpreter lets go of after all modules
"""


def test_a_native_function_outlives_its_module() -> None:
    """What tells Python of it was freed with the module: collecting garbage at the end then crashed."""
    environment = {**os.environ, "PYTHONMALLOC": "debug"}  # what is freed is overwritten
    found = subprocess.run(
        [sys.executable, "-c", LAST], capture_output=True, text=True, check=False, env=environment
    )
    assert (found.returncode, found.stdout[:24]) == (0, "<built-in method made of"), found.stderr
