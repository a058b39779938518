"""Time each public function on 8×8 arrays beside torch: the median ratio and the worst ten.

    python -m benchmarks.small_calls                    forward
    python -m benchmarks.small_calls --grad             forward, and backward to every floating operand
    python -m benchmarks.small_calls --only 'softmax|norm' --rounds 5

The calls are not listed: each function of `NAMESPACES`, and each method that is none of them, is called with
each of `OPERANDS`, and the first that torch takes, and that gives a tensor, is the call. One process for each
library times it in turn, on one thread, by the thread's processor time; the least of all samples counts.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from benchmarks import report
from benchmarks.peers import BASELINE, BY_NAME, load

NAMESPACES = ("", "nn.functional", "linalg", "special", "fft")

#: What a function is called with, by the names that `_operands` gives values to; the first that fits counts.
OPERANDS: tuple[tuple[Any, ...], ...] = (
    ("x",), ("x", "y"), ("x", 1), ("x", "index"), ("x", 1, "index"), ("x", 1, 0), ("x", "mask"), ("mask",),
    (["x", "y"],), ("x", (1, 0)), ("x", (8, 8)), ("x", "row"), ("row", "row"), ("x", "mask", 0.5),
    ("mask", "x", "y"), ("x", "y", "x"), ("x", "y", 0.5), ("x", 0, 1), ("x", 1, "places", "y"),
    ("x", "places"), ("labels", "x"), ("x", "labels"), ("x", (8,)), ("index",), ("image",), ("image", 2),
    ("image", "weight"), ("image", "row", "row"), ("sequence", 2), ("sequence", "filter"), ("row", "x"),
    ("stack", "stack"), ("x", "stack", "stack"), ("stack", "stack", "stack"), ((8, 8),), (8,), ((8, 8), 1.0),
    ("x", 3, 2), ("x", 0, 2, 1), ("x", 0.1, 0.9), ("complex",), ("square", "x"), ("square",), ("heads",) * 3,
)  # fmt: skip

#: Calls of each function before it is timed, in which pullback makes a plan, and seconds of them at most.
WARM, WARM_SECONDS = 300, 0.05

#: Functions that change the state of the library or wait for something outside.
EXCLUDED = re.compile(
    r"_|set_|get_|use_|is_|can_|save|load|compile|from_|frombuffer|manual_seed|seed|init|sync|fork|wait|import"
    r"|typename|vmap|cond$|while_loop|autocast|export|unravel_index|_?print|backward|share_memory|numpy|apply"
    r"|retain|register|requires_grad|detach_$|storage|untyped|data_ptr|resize|swap|empty|.*_$"
)


def _operands(torch: Any) -> dict[str, Any]:
    torch.manual_seed(0)
    x = torch.rand(8, 8) + 0.25
    return {
        "x": x, "y": torch.rand(8, 8) + 0.25, "row": torch.rand(8) + 0.25, "mask": x > 0.75,
        "index": torch.randint(8, (8, 8)), "places": torch.arange(8), "labels": torch.randint(8, (8,)),
        "stack": torch.rand(2, 8, 8), "image": torch.rand(1, 8, 8, 8), "weight": torch.rand(8, 8, 3, 3),
        "sequence": torch.rand(1, 8, 8), "filter": torch.rand(8, 8, 3), "square": x @ x.T + torch.eye(8),
        "complex": torch.complex(x, x), "heads": torch.rand(1, 2, 8, 4),
    }  # fmt: skip


def _functions(torch: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    known = set()
    for namespace in NAMESPACES:
        module = torch
        for part in filter(None, namespace.split(".")):
            module = getattr(module, part)
        for name in sorted(dir(module)):
            function = getattr(module, name, None)
            if callable(function) and not isinstance(function, type) and not EXCLUDED.match(name):
                known.add(name)
                yield f"{namespace}.{name}".lstrip("."), function
    for name in sorted(set(dir(torch.Tensor)) - known):
        method = getattr(torch.Tensor, name, None)
        if not EXCLUDED.match(name) and callable(method):
            yield f"Tensor.{name}", method


class _Calls:
    """The calls in one library's process."""

    def __init__(self, peer: str) -> None:
        self.torch = load(BY_NAME[peer]).module
        self.torch.set_num_threads(1)
        warnings.simplefilter("ignore")
        self.functions = dict(_functions(self.torch))
        self.values = _operands(self.torch)

    def _given(self, operands: Sequence[Any]) -> list[Any]:
        known = self.values
        return [
            known[v] if isinstance(v, str) else [known[k] for k in v] if isinstance(v, list) else v
            for v in operands
        ]

    def found(self, only: str) -> dict[str, int]:
        """Return which operands each function takes, as their number."""
        calls = {}
        for name, function in self.functions.items():
            for number, operands in enumerate(OPERANDS if re.search(only, name) else ()):
                try:
                    result = function(*self._given(operands))
                except Exception:  # noqa: BLE001  # the next operands may fit
                    continue
                first = result[0] if isinstance(result, tuple) and result else result
                if isinstance(first, self.torch.Tensor):
                    calls[name] = number
                    break
        return calls

    def sample(self, name: str, number: int, grad: bool) -> float | None:
        """Return the microseconds of one call, the least of a few samples; None where there is none."""
        function, given = self.functions.get(name), self._given(OPERANDS[number])
        if function is None:
            return None
        call = (lambda: function(*given)) if not grad else self._pulled(function, given)
        try:
            began = time.thread_time()
            for _ in range(WARM):
                call()
                if time.thread_time() - began > WARM_SECONDS:
                    break
        except Exception:  # noqa: BLE001  # a call that the other library takes
            return None
        return min(_seconds(call) for _ in range(5)) * 1e6

    def _pulled(self, function: Callable[..., Any], given: list[Any]) -> Callable[[], Any]:
        torch, float32 = self.torch, self.torch.float32
        leaves = [
            v.detach().clone().requires_grad_() if isinstance(v, torch.Tensor) and v.dtype == float32 else v
            for v in given
        ]
        wanted = [v for v in leaves if isinstance(v, torch.Tensor) and v.requires_grad]

        def call() -> Any:
            result = function(*leaves)
            result = result[0] if isinstance(result, tuple) else result
            return torch.autograd.grad(result, wanted, torch.ones_like(result), allow_unused=True)

        return call


def _seconds(call: Callable[[], Any]) -> float:
    """Return what one call takes, averaged over a millisecond."""
    repetitions = 1
    while True:
        start = time.thread_time()
        for _ in range(repetitions):
            call()
        seconds = time.thread_time() - start
        if seconds > 1e-3:
            return seconds / repetitions
        repetitions *= 2


def _serve(connection: Connection, peer: str) -> None:
    calls = _Calls(peer)
    while True:
        try:
            name, *arguments = connection.recv()
        except EOFError:
            return
        connection.send(getattr(calls, name)(*arguments))


class _Process:
    def __init__(self, peer: str) -> None:
        context = get_context("spawn")
        self.connection, other = context.Pipe()
        context.Process(target=_serve, args=(other, peer), daemon=True).start()

    def ask(self, *request: Any) -> Any:
        self.connection.send(request)
        return self.connection.recv()


def measured(only: str, grad: bool, rounds: int) -> dict[str, tuple[float, float]]:
    """Return the microseconds of each call in pullback and in torch."""
    ours, theirs = _Process("pullback"), _Process(BASELINE)
    found: dict[str, tuple[float, float]] = {}
    calls = theirs.ask("found", only)
    # A round goes over all calls: what a process does in its first seconds, and what disturbs one moment,
    # counts in one of them only.
    for name, number in [*calls.items()] * rounds:
        a, b = (peer.ask("sample", name, number, grad) for peer in (ours, theirs))
        if a is not None and b is not None:
            first = found.get(name, (a, b))
            found[name] = min(a, first[0]), min(b, first[1])
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the summary and the worst ten."""
    title = "Time each public function on 8×8 arrays beside torch."
    parser = argparse.ArgumentParser(prog="python -m benchmarks.small_calls", description=title)
    parser.add_argument("--grad", action="store_true", help="backward, too")
    parser.add_argument("--only", default="", help="regular expression of names")
    parser.add_argument("--rounds", type=int, default=2, help="turns of each library (2)")
    parser.add_argument("--output", help="file for all times, as JSON")
    options = parser.parse_args(arguments)
    times = measured(options.only, options.grad, options.rounds)
    if not times:
        parser.exit(1, "no call was measured\n")
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump(times, file, indent=1)
    subject = f"calls{' with backward' if options.grad else ''}"
    print("\n".join(report.calls(times, subject, most=0.9, worst=10)))


if __name__ == "__main__":
    main()
