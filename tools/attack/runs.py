"""Long runs and large ones: steps without the collector, graphs of a million nodes, threads, interrupts."""

from __future__ import annotations

import gc
import random
import resource
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pullback as torch

# --- leaks --------------------------------------------------------------------------------------------------


def _steps() -> dict[str, Callable[[], Any]]:
    """Return steps that are repeated, by name."""
    nn, func = torch.nn, torch.func
    model = nn.Sequential(nn.Linear(20, 30), nn.ReLU(), nn.BatchNorm1d(30), nn.Linear(30, 3))
    update = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, target = torch.randn(8, 20), torch.randint(0, 3, (8,))

    def train() -> Any:
        update.zero_grad()
        loss = nn.functional.cross_entropy(model(x), target)
        loss.backward()
        update.step()
        return loss

    base = torch.zeros(4, 4)

    def viewed() -> Any:
        y = (base * 1).requires_grad_()
        z = y * 2
        z[0].mul_(3)
        z.sum().backward()
        return z

    def hooked() -> Any:
        y = torch.ones(3, requires_grad=True)
        y.register_hook(lambda g: g * 2)
        (y * y).sum().backward()
        return y

    gru = nn.GRU(4, 5, batch_first=True)
    return {
        "training": train,
        "compiled training": torch.compile(train),
        "views and in-place": viewed,
        "hooks": hooked,
        "second derivatives": lambda: func.hessian(lambda v: (v**3).sum())(torch.ones(3)),
        "vmap of grad": lambda: func.vmap(func.grad(lambda v: (v.sin() * v).sum()))(x),
        "forward mode": lambda: func.jvp(torch.sin, (x,), (x,)),
        "a recurrent layer": lambda: gru(torch.randn(2, 6, 4))[0].sum().backward(),
        "state dicts": lambda: model.load_state_dict(model.state_dict()),
        "errors": lambda: _failing(lambda: torch.ones(2) @ torch.ones(3)),
    }


def _failing(function: Callable[[], Any]) -> None:
    try:
        function()
    except RuntimeError:
        return
    raise AssertionError("nothing was raised")


#: How often steps are repeated so many times before what they leave counts as a leak.
_TIMES = 5


def leaks(count: int) -> list[str]:
    """Repeat steps without the collector of cycles; what grew."""
    wrong = []
    warnings.simplefilter("ignore")
    for name, step in _steps().items():
        for _ in range(max(50, count // 10)):
            step()
        # What is compiled once in a while, when it pays, comes now and then: a leak grows each time.
        for _ in range(_TIMES):
            left, more = _grown(step, count)
            print(f"  {name}: {left} objects and {more >> 10} kB more after {count} steps", flush=True)
            if left <= 100 + count // 100 and more <= 16 << 20:
                break
        else:
            grew = f"{left} objects and {more >> 10} kB more after {count} steps, {_TIMES} times"
            wrong.append(f"{name}: {grew}")
    return wrong


def _grown(step: Callable[[], Any], count: int) -> tuple[int, int]:
    """Return how many objects and bytes there are more after so many steps without the collector."""
    gc.collect()
    gc.disable()
    try:
        before, objects = _resident(), len(gc.get_objects())
        for _ in range(count):
            step()
        return len(gc.get_objects()) - objects, _resident() - before
    finally:
        gc.enable()


def _resident() -> int:
    statistics = Path("/proc/self/statm")
    if statistics.exists():
        return int(statistics.read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


# --- large graphs -------------------------------------------------------------------------------------------


def graphs(count: int) -> list[str]:
    """Pull back through graphs of so many nodes, and free them; what went wrong."""
    wrong = []

    def expect(name: str, found: float, right: float) -> None:
        print(f"  {name}: {found}", flush=True)
        if found != right:
            wrong.append(f"{name}: {found}, not {right}")

    x = torch.ones(1, requires_grad=True)
    y = x
    for _ in range(count):
        y = y + x
    y.backward()
    expect("a chain", float(x.grad), count + 1)
    del y
    x.grad = None
    torch.stack([x] * count).sum().backward()
    expect("a fan", float(x.grad), count)
    x.grad = None
    y = x * 1
    for _ in range(count // 10):
        y = y.view(1)
    y.sum().backward()
    expect("views of views", float(x.grad), 1)
    x.grad = None
    y = x * 1
    for _ in range(count // 10):
        y.mul_(1)
    y.sum().backward()
    expect("in-place changes", float(x.grad), 1)
    loss: Any = 0
    for _ in range(count // 10):
        loss = loss + torch.utils.checkpoint.checkpoint(lambda v: v * 1, x, use_reentrant=False).sum()
    x.grad = None
    loss.backward()
    expect("checkpoints", float(x.grad), count // 10)
    freed = x
    for _ in range(count):
        freed = freed * 1
    del freed
    return wrong


# --- threads ------------------------------------------------------------------------------------------------


def threads(count: int) -> list[str]:
    """Have 16 threads pull back to one leaf, and step, compile and draw, so many times; what went wrong."""
    wrong: list[str] = []
    leaf = torch.zeros(100, requires_grad=True)
    step = torch.compile(lambda x, k: (x * x * k).sum())
    right = [float(step(torch.ones(5), float(k))) for k in range(3)]

    def work(number: int) -> None:
        try:
            generator = torch.Generator()
            generator.manual_seed(number)
            first = torch.rand(20, generator=generator)
            for turn in range(count):
                (leaf * 2).sum().backward()
                own = torch.ones(5)
                if float(step(own, float(turn % 3))) != right[turn % 3]:
                    wrong.append("a compiled call gave another thread's result")
            generator.manual_seed(number)
            if not torch.equal(torch.rand(20, generator=generator), first):
                wrong.append("a generator gave another thread's numbers")
        except Exception as error:  # noqa: BLE001  # told as it is
            wrong.append(f"a thread ended with {type(error).__name__}: {error}")

    workers = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    finally:
        sys.setswitchinterval(interval)
    if not (leaf.grad == 2 * 16 * count).all():
        wrong.append(f"the leaf holds {leaf.grad[0]}, not {2 * 16 * count}")
    return sorted(set(wrong))


# --- interrupts ---------------------------------------------------------------------------------------------


class _Interrupted(KeyboardInterrupt):
    """Comes at a random moment, as Ctrl-C does."""


def _interrupt(number: int, frame: Any) -> None:
    raise _Interrupted


def _until_interrupted(work: Callable[[], Any], moment: float) -> bool:
    """Repeat work until it is interrupted; whether it was."""
    end = time.monotonic() + 5
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, moment)
            while time.monotonic() < end:
                work()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _Interrupted:
        return True
    return False


def interrupts(count: int, seed: int = 0) -> list[str]:
    """Interrupt work at random moments: what it was to change is as before or as after, and the next time it
    works; what went wrong.
    """
    chance, wrong, held, lost = random.Random(seed), [], 0, 0
    warnings.simplefilter("ignore")
    before = signal.signal(signal.SIGALRM, _interrupt)
    with tempfile.TemporaryDirectory() as folder:
        for name, work, how in _interruptible(Path(folder)):
            for _ in range(count):
                came = _until_interrupted(work, 1e-4 + chance.random() * 0.01)
                held += came
                lost += not came
                why = how()
                if why is not None:
                    wrong.append(f"{name}: {why}")
                    break
    signal.signal(signal.SIGALRM, before)
    print(f"  {held} interrupts, and {lost} that Python ignored in callbacks of weak references", flush=True)
    if lost > count // 10 + 1:
        wrong.append(f"{lost} interrupts were swallowed")
    return wrong


def _interruptible(folder: Path) -> list[tuple[str, Callable[[], Any], Callable[[], str | None]]]:
    """Return work by name, with what says how it is not whole."""
    a, b = torch.zeros(5, requires_grad=True), torch.zeros(5, requires_grad=True)
    update = torch.optim.SGD([a, b], lr=1.0)

    def step() -> Any:
        update.zero_grad()
        loss = (a + b).sum()
        loss.backward()
        update.step()
        return loss

    compiled = torch.compile(step)
    compiled()

    def even() -> str | None:
        # A compiled step changes both or none.
        if not torch.equal(a, b) or not (a == a[0]).all():
            return f"half an update: {a.tolist()} and {b.tolist()}"
        compiled()
        return None if torch.equal(a, b) else "the step after it is wrong"

    x = torch.ones(4, requires_grad=True)

    def pulled() -> None:
        y = x
        for _ in range(50):
            y = y * 1
        y.sum().backward()

    def computes() -> str | None:
        x.grad = None
        pulled()
        return None if x.grad.tolist() == [1] * 4 else f"the gradient after it is {x.grad.tolist()}"

    path = folder / "a.pt"
    torch.save(torch.zeros(1000), path)
    turn = [0]

    def save() -> None:
        turn[0] += 1
        torch.save(torch.full((1000,), float(turn[0])), path)

    def loads() -> str | None:
        found = torch.load(path)
        if not (found == found[0]).all():
            return "the file holds a half of each"
        left = [*folder.glob("*.part")]
        return f"{left} is left" if len(left) > 1 else None

    loader = torch.utils.data.DataLoader(range(20), batch_size=4)

    def loaded() -> None:
        list(loader)

    def all_there() -> str | None:
        return None if sum(map(len, loader)) == 20 else "the loader after it gives less"

    fresh = [0]

    def compiles() -> None:
        fresh[0] += 1
        factor = fresh[0] / 7
        torch.compile(lambda v: (v * factor).sum())(torch.ones(3))

    def still() -> str | None:
        found = float(torch.compile(lambda v: (v * 2.5).sum())(torch.ones(3)))
        if not gc.isenabled():
            return "the collector stays off"
        return None if found == 7.5 and float(torch.ones(2).sum()) == 2 else f"a function gives {found}"

    return [
        ("a compiled step", compiled, even), ("backward", pulled, computes), ("save", save, loads),
        ("a DataLoader", loaded, all_there), ("compiling", compiles, still),
    ]  # fmt: skip
