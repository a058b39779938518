"""Kernels whose rows run on several threads: the same results on any number of them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import pullback as torch
from pullback.array.threads import get_num_threads, set_num_threads
from pullback.compiler import trace

pytest.importorskip("llvmlite")
from pullback.compiler.passes import parallel_rows
from pullback.compiler.runtime.executable import Executable

from .test_executable import agree, backward_of, leaf


@pytest.fixture(autouse=True)
def threads():
    before = get_num_threads()
    yield
    set_num_threads(before)


def results(compiled: Executable, arrays, count: int):
    set_num_threads(count)
    return [result.copy() for result in compiled.run(*arrays)]


FUNCTIONS = [
    lambda x: (x.sin() * x.exp() + x.tanh() / (1 + x * x)).sum(),
    lambda x: torch.softmax(x, -1).pow(2).sum(),
    lambda x: (x.exp().sum(0) * x.sum(1).mean()).sum(),
    lambda x: (x - x.mean(1, keepdim=True)).pow(2).mean(0).amax(),
    lambda x: torch.log_softmax(x.sin(), 1).cos().sum(1).exp().sum(),
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("shape", [(1003, 517), (96, 4099)])
def test_results_do_not_depend_on_the_number_of_threads(function, shape):
    torch.manual_seed(0)
    set_num_threads(2)
    x = leaf(*shape)
    compiled = agree(backward_of(function), x, tolerance=2e-5)
    assert "pullback_parallel" in compiled.llvm
    one, two, three = (results(compiled, [x._value], count) for count in (1, 2, 3))
    for a, b, c in zip(one, two, three, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)


def test_small_kernels_stay_on_the_thread_that_calls():
    compiled = agree(backward_of(FUNCTIONS[0]), leaf(1000))
    assert "pullback_parallel" not in compiled.llvm


def test_counts_depend_on_work_alone():
    assert parallel_rows.count(1000, 1e3, False) == 1
    assert parallel_rows.count(1, 1e9, False) == 1
    assert parallel_rows.count(1000, 1e9, False) == parallel_rows.MOST
    assert parallel_rows.count(64, 1e9, True) == 64 // parallel_rows.ROWS_OF_SUMS


def test_several_callers_and_the_pool_at_once():
    set_num_threads(3)
    x = torch.randn(300_000)
    traced = trace(lambda x: (x.sin() * x.exp()).sum(), x)
    wanted = Executable(traced.program).run(x._value)[0]
    wrong = []

    def call():
        compiled = Executable(traced.program)
        for _ in range(20):
            if compiled.run(x._value)[0] != wanted:
                wrong.append(1)

    callers = [threading.Thread(target=call) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


PROGRAM = """
import os
import numpy as np
import pullback as torch
from pullback.compiler import trace
from pullback.compiler.runtime.executable import Executable
torch.set_num_threads(3)
x = torch.randn(300_000)
compiled = Executable(trace(lambda x: (x.sin() * x.exp()).sum(), x).program)
wanted = compiled.run(x._value)[0]
child = os.fork()
if not child:
    os._exit(0 if compiled.run(x._value)[0] == wanted else 1)
assert os.waitpid(child, 0)[1] == 0
assert compiled.run(x._value)[0] == wanted
print("fine")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_forked_child_and_exit():
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "fine\n"), run.stderr
