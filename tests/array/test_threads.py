"""Parts run once each, whoever runs them; errors arrive; forked children work; freed memory is kept."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from pullback.array import blas, large, threads
from pullback.array.lapack import ONE_THREAD, _on_one_thread, lapack


@pytest.fixture(autouse=True)
def two_threads():
    before = threads.get_num_threads()
    threads.set_num_threads(2)
    yield
    threads.set_num_threads(before)


@pytest.mark.parametrize("parts", [0, 1, 2, 5])
@pytest.mark.parametrize("uses_blas", [False, True])
def test_every_part_runs_once(parts, uses_blas):
    ran = []
    threads.run_parts(ran.append, parts, uses_blas=uses_blas)
    assert sorted(ran) == list(range(parts))


def test_threads_are_as_many_as_the_work_pays_for():
    threads.set_num_threads(16)
    found = [threads.worthwhile(work, 100) for work in (0, 99, 100, 149, 150, 799, 800, 10_000)]
    assert found == [1, 1, 2, 2, 3, 15, 16, 16]
    assert threads.stretches(7, 100, 100) == [(0, 3), (3, 7)]
    assert threads.stretches(1, 10_000, 100) == [(0, 1)]


def test_parts_run_on_two_threads():
    together = threading.Barrier(2, timeout=20)
    threads.run_parts(lambda _: together.wait(), 2)  # a single thread would wait for itself


def test_a_nested_job_runs_on_its_own_thread():
    names = {}

    def part(index):
        threads.run_parts(lambda inner: names.setdefault((index, inner), threading.get_ident()), 2)

    threads.run_parts(part, 2)
    assert all(names[i, 0] == names[i, 1] for i in range(2))
    assert names[0, 0] != names[1, 0]


@pytest.mark.parametrize("failing", [0, 1])
def test_an_error_is_raised_after_all_parts_end(failing):
    ran = []

    def part(index):
        ran.append(index)
        if index == failing:
            raise ValueError("from a part")

    with pytest.raises(ValueError, match="from a part"):
        threads.run_parts(part, 2)
    assert sorted(ran) == [0, 1]
    threads.run_parts(ran.append, 2)  # the thread lives on


def test_jobs_of_many_threads_do_not_wait_for_one_another():
    results = []

    def job():
        out = np.zeros(4)

        def part(index):
            out[index] += 1

        for _ in range(100):
            threads.run_parts(part, 4, uses_blas=True)
        results.append(out)

    jobs = [threading.Thread(target=job) for _ in range(4)]
    for thread in jobs:
        thread.start()
    for thread in jobs:
        thread.join()
    assert [out.tolist() for out in results] == [[100.0] * 4] * 4


def test_blas_keeps_its_threads_afterwards():
    functions = blas._NUMPY.functions()
    if functions is None:
        pytest.skip("NumPy's BLAS is not OpenBLAS")
    _, getter = functions
    seen = []
    threads.run_parts(lambda _: seen.append(getter()), 2, uses_blas=True)
    assert seen == [1, 1]
    assert getter() == 2


def test_lapack_keeps_its_threads_afterwards():
    functions = blas.SCIPY.functions()
    if functions is None:
        pytest.skip("SciPy's BLAS is not OpenBLAS")
    setter, getter = functions
    setter(2)
    seen = []
    x = np.eye(ONE_THREAD.start)
    routine = lapack("potrf", x)
    assert routine.func is _on_one_thread
    _on_one_thread(lambda: seen.append(getter()))
    np.testing.assert_array_equal(routine(x, lower=1)[0], x)
    assert (seen, getter()) == ([1], 2)


def test_the_buffer_size_is_given_back():
    before = np.getbufsize()
    seen = []
    threads.run_parts(lambda _: seen.append(np.getbufsize()), 1)
    assert seen == [1024]
    assert np.getbufsize() == before


def test_a_worker_lets_no_warning_out():
    out = np.empty(2)

    def part(index):
        if index == 1:
            np.divide(np.ones(1), np.zeros(1), out=out[1:])

    threads.run_parts(part, 2)
    assert out[1] == np.inf


def test_split_covers_everything_in_order():
    for length in range(8):
        bounds = threads.split(length, 3)
        assert [i for low, high in bounds for i in range(low, high)] == list(range(length))
        assert len(bounds) == max(1, min(3, length))


def test_set_num_threads_wants_a_positive_number():
    with pytest.raises(RuntimeError, match="set_num_threads expects a positive integer"):
        threads.set_num_threads(0)


def run(program, **environment):
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_starts_threads_of_its_own():
    assert run(
        """
        import os, threading
        from pullback.array import threads
        threads.set_num_threads(2)
        running, forked = threading.Barrier(3), threading.Event()
        def fork():
            running.wait()  # the worker is busy, and BLAS is held to one thread
            child = os.fork()
            forked.set()
            ran = []
            threads.run_parts(ran.append, 4, uses_blas=True)
            assert sorted(ran) == [0, 1, 2, 3]
            if child == 0:
                os._exit(7)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        side = threading.Thread(target=fork)
        side.start()
        def part(index):
            running.wait()
            forked.wait()
        threads.run_parts(part, 2, uses_blas=True)
        side.join()
        """
    ) == ["7"]


def test_the_environment_gives_the_number():
    program = "from pullback.array import threads; print(threads.get_num_threads())"
    assert run(program, OMP_NUM_THREADS="3") == ["3"]
    assert run(program, OMP_NUM_THREADS="many") == [str(len(os.sched_getaffinity(0)))]


def test_the_import_leaves_the_allocator_as_it_is():
    program = """
        import pullback as torch
        from pullback.array import memory
        before = memory.adapt.cache_info().misses
        torch.relu(torch.zeros(1 << 18))
        print(before, memory.adapt.cache_info().misses)
        """
    assert run(program) == ["0", "1"]


def test_freed_memory_is_used_again():
    program = """
        import resource
        from pullback.array import memory
        import numpy as np
        kept = memory.adapt()
        def faults():
            return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        np.ones(1 << 18)
        before = faults()
        for _ in range(50):
            np.ones(1 << 18)  # 512 pages each
        print(kept, faults() - before)
        """
    kept, faults = run(program, **dict.fromkeys(("MALLOC_TRIM_THRESHOLD_",), ""))
    assert (kept, int(faults) > 500) == ("False", True)  # the user has a say
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "environ", environment)
        kept, faults = run(program)
    if kept == "False":
        pytest.skip("the C library is not glibc")
    assert int(faults) < 500


@pytest.mark.parametrize(
    ("ask", "load_name", "kept"), [("chains", "_load_chains", "_chains"), ("source", "_load", "_source")]
)
def test_threads_share_native_kernels(
    ask: str, load_name: str, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two, one was freed, and with it the code of functions that were being called; who did not wait had
    other bits.
    """
    made: list[object] = []
    first, second = threading.Event(), threading.Event()

    def load() -> object:
        first.set()
        second.wait(0.1)
        made.append(object())
        return made[-1]

    monkeypatch.setattr(large, load_name, load)
    monkeypatch.setattr(large, kept, None)
    found: list[object] = []
    other = threading.Thread(target=lambda: found.append(getattr(large, ask)()))
    other.start()
    first.wait()
    late = threading.Thread(target=lambda: (found.append(getattr(large, ask)()), second.set()))
    late.start()
    other.join()
    late.join()
    assert found == [made[0]] * 2
