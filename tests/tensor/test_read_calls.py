"""What public functions hold before they are called."""

from __future__ import annotations

import subprocess
import sys

import pullback as t
from pullback.tensor.read_calls import Public

OBJECTS = """
import gc, numpy
before = len(gc.get_objects())
import pullback
gc.collect()
print(len(gc.get_objects()) - before)
"""


def test_an_import_makes_few_objects() -> None:
    """The collector goes through them, and takes them apart when the process ends: there were 68,600."""
    found = subprocess.run([sys.executable, "-c", OBJECTS], capture_output=True, text=True, check=True)
    assert int(found.stdout) < 40_000


def test_a_function_has_an_inline_cache_once_it_is_called() -> None:
    public = Public(lambda x: x + 1)
    assert public.cache is None
    for _ in range(2):
        assert public.call(t.ones(2)).tolist() == [2, 2]
        assert public.cache is not None and public.cached is not None
