"""All wrong calls: those of the recorded right ones, as functions, methods and in-place variants, and those
written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from tests.recorded import load

from .call import Call, T, read
from .mutations import wrong_calls
from .subscripts import SUBSCRIPTS


def right_calls() -> list[Call]:
    """The recorded right calls, and those of the methods and in-place variants of the same names."""
    calls = list(map(read, load("right_calls")))
    methods = load("methods_of_calls")
    seen: set[str] = set()
    for call in list(calls):
        name = call.path.split(".")[-1]
        if call.path.count(".") == 1 and call.path not in seen and call.args and isinstance(call.args[0], T):
            seen.add(call.path)
            calls += [replace(call, path=f".{n}") for n in (name, f"{name}_") if n in methods]
    return calls


def all_calls(only: str = "") -> Iterator[tuple[str, str]]:
    """The path and the expression of every wrong call, each once."""
    wanted = re.compile(only)
    seen: set[str] = set()
    for call in right_calls():
        if wanted.search(call.path):
            for wrong in wrong_calls(call):
                expression = wrong.expression
                if expression not in seen:
                    seen.add(expression)
                    yield call.path, expression
    for path, expression in SUBSCRIPTS:
        if wanted.search(path):
            yield path, expression
