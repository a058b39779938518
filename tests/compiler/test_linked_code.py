"""Machine code that is loaded without LLVM: what a forked child writes stays with the child."""

from __future__ import annotations

import ctypes
import mmap
import os
import sys

import numpy as np
import pytest

from tests.security.attacks import program

NONE = np.empty(0, np.int64)

FORK = """
import os
from tests.compiler.test_linked_code import variable
code, value = variable()
child = os.fork()
if not child:
    value.value = 7
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert value.value == 0, value.value
"""


def variable() -> tuple[object, ctypes.c_int64]:
    """Return code of one variable, and the variable, which is 0."""
    from pullback.compiler.runtime.linked_code import Linked, Loaded

    page = mmap.PAGESIZE
    linked = Linked(bytes(2 * page), page, {"x": page + 8}, NONE, NONE, [], NONE.reshape(2, 0))
    loaded = Loaded(linked)
    return loaded, ctypes.c_int64.from_address(loaded.address("x"))


@pytest.mark.skipif(sys.platform != "linux" or not hasattr(os, "fork"), reason="it maps memory as Linux does")
def test_a_child_has_variables_of_its_own() -> None:
    program("-c", FORK)
