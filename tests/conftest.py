"""What all tests share: one BLAS thread, hypothesis without deadlines, defaults put back after each test."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator

# Two workers of pytest-xdist on two cores lose more to each other's BLAS threads than they gain. Set before
# NumPy loads.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

# What a test compiles is compiled, and by its own process: two workers leave no core for others, and
# each takes a third of a second to start. `tests/compiler/test_helpers.py` has them.
os.environ["PULLBACK_CACHE"] = "0"
os.environ.setdefault("PULLBACK_COMPILE_PROCESSES", "0")

#: The name of the process among those of pytest-xdist; "" without it.
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")

import pytest  # noqa: E402  # after the variables above
from _pytest.runner import runtestprotocol  # noqa: E402
from hypothesis import settings  # noqa: E402

# No deadline: a shared machine stalls. In CI the examples are the same in every run, so a change that did not
# touch a test cannot turn it red; on a developer's machine they vary.
settings.register_profile("pullback", deadline=None, derandomize="CI" in os.environ, print_blob=True)
settings.load_profile("pullback")
if "CI" in os.environ:
    # Of 40 draws one is a constant of the sources that are loaded, so a change of any changed what is drawn.
    # In a fresh clone each worker parsed 700 files for them, in 8.5 s of processor time.
    from hypothesis.internal.conjecture import providers

    providers._get_local_constants = providers.Constants


# A shell that runs the suite in the background has it ignore interrupts, and so would every program that a
# test starts and interrupts.
if (
    threading.current_thread() is threading.main_thread()
    and signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Begin with the last file in every second worker: in a fresh clone each worker rewrites the asserts of
    half of the files, and reads what the other one has written.
    """
    report = yield
    if isinstance(collector, pytest.Directory) and WORKER[-1:] in tuple("13579"):
        report.result.reverse()
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests into one order in all workers."""
    if WORKER:
        items.sort(key=lambda item: item.path.parts)


def pytest_collection(session: pytest.Session) -> None:
    """Look not for garbage among the million objects that pytest makes of the tests, which stay."""
    del session
    gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Look for garbage again, among what tests make.

    One look at all took 1.7 s in each of two workers; every 20th test took 82.9 s of processor time, and
    takes 77.2. Counting what is frozen visits all of it, so a program that asks is told that something is.
    """
    del session
    gc.enable()
    gc.freeze()
    gc.get_freeze_count = lambda: 1


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Look for garbage in what the tests of a file leave, and never again.

    Of every 60th test's 24.3 s of processor time the collector took 1.8 s, and takes 0.9.
    """
    if nextitem is not None and nextitem.path != item.path:
        gc.collect()
        gc.freeze()


@pytest.hookimpl
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Send of a test that another process runs what is told of it, one message in place of five.

    The beginning, the end, a setup and a teardown that passed are told only by `-v` and `--durations`. 6,000
    empty tests in two workers: 19.1 s of processor time, 12.5 without them; in one process 7.1.
    """
    option = item.config.option
    if not hasattr(item.config, "workerinput") or option.verbose > 0 or option.durations is not None:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.sections:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.fixture(scope="session", autouse=True)
def kept_code(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Say where programs that tests start with ``PULLBACK_CACHE=1`` keep what they compile, for others of
    this run: of four jobs of `tests/distributed/programs` the processes took 48.7 s, and take 40.3.
    """
    folder = tmp_path_factory.getbasetemp()
    # The folders of a run's workers lie in one folder of that run.
    os.environ["PULLBACK_CACHE_DIR"] = str((folder.parent if WORKER else folder) / "kept-code")


@pytest.fixture(autouse=True)
def defaults() -> Iterator[None]:
    """Put back what a test, or a program that it runs, may have set for the whole process."""
    yield
    put_back()


def put_back() -> None:
    """Set this process's defaults again; a test that runs many programs does so after each."""
    if "pullback.tensor" not in sys.modules:  # tests of the checker of imports, for one, never load it
        return
    from pullback.array import dtypes
    from pullback.core import modes, warn
    from pullback.tensor import printing

    dtypes.set_default_dtype(dtypes.float32)
    modes.set_modes(modes.DEFAULT)
    printing.set_printoptions(profile="default")
    warn.forget()


@pytest.fixture
def price(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Return what sets the nanoseconds of NumPy's work after which this process compiles native code that
    gives the same bits.
    """
    from pullback.array import tiering

    def set_price(nanoseconds: float) -> None:
        for name in ("OPEN", "KERNEL", "COMPILER", "LOOP"):
            monkeypatch.setattr(tiering, name, nanoseconds)
        monkeypatch.setattr(tiering.account, "spent", 0.0)
        monkeypatch.setattr(tiering.account, "compiles_apart", False)

    return set_price
