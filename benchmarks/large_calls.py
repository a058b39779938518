"""Time single ops on large arrays beside torch, forward and with backward, on all threads.

    python -m benchmarks.large_calls
    python -m benchmarks.large_calls --only 'conv|softmax' --output large.json

The suite measures chains of ops; here each op runs alone, as in a notebook. One process for each library
times a case in turn, by the clock, for the threads are what is measured; the median of all samples counts.
Each case is called for `--warm` seconds first, in which pullback's native loops are compiled or found.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from benchmarks import report
from benchmarks.peers import BASELINE, BY_NAME, load

Operands = dict[str, tuple[int, ...]]

_MATRIX: Operands = {"x": (1024, 1024)}
_MAPS: Operands = {"x": (32, 32, 32, 32)}
_ROWS: Operands = {"x": (2048, 256)}
_HEADS: Operands = dict.fromkeys("qkv", (8, 4, 128, 32))

#: What is computed, and of normal numbers of which shapes, by which gradients are asked.
CASES: tuple[tuple[str, Operands], ...] = (
    ("F.relu(x)", _MATRIX), ("F.gelu(x)", _MATRIX), ("F.silu(x)", _MATRIX), ("torch.exp(x)", _MATRIX),
    ("F.dropout(x, 0.1)", _MATRIX), ("torch.where(x > 0, x, 0.1 * x)", _MATRIX),
    ("x + y", {"x": (2048, 2048), "y": (2048, 2048)}), ("x * row", {**_MATRIX, "row": (1024,)}),
    ("x.sum()", _MATRIX), ("x.sum(0)", _MATRIX), ("x.sum(1)", _MATRIX), ("x.mean()", {"x": (2048, 2048)}),
    ("x.max(1).values", _MATRIX), ("x.cumsum(1)", _MATRIX), ("x.t().contiguous()", _MATRIX),
    ("x.sort(1).values", {"x": (512, 512)}), ("x.topk(8, 1).values", {"x": (512, 512)}),
    ("torch.cat([x, y], 1)", {"x": (32, 16, 32, 32), "y": (32, 16, 32, 32)}),
    ("F.pad(x, (1, 1, 1, 1), mode='reflect')", _MAPS), ("F.max_pool2d(x, 2)", _MAPS),
    ("F.avg_pool2d(x, 2)", _MAPS),
    ("F.unfold(x, 3)", {"x": (16, 8, 32, 32)}), ("F.interpolate(x, scale_factor=2)", {"x": (16, 16, 32, 32)}),
    ("F.interpolate(x, scale_factor=2, mode='bilinear')", {"x": (16, 16, 32, 32)}),
    ("F.grid_sample(x, g.tanh(), align_corners=False)", {"x": (8, 3, 64, 64), "g": (8, 64, 64, 2)}),
    ("F.batch_norm(x, None, None, w, b, True)", {**_MAPS, "w": (32,), "b": (32,)}),
    ("F.group_norm(x, 8, w, b)", {**_MAPS, "w": (32,), "b": (32,)}),
    ("F.layer_norm(x, (256,), w, b)", {**_ROWS, "w": (256,), "b": (256,)}),
    ("torch.softmax(x, -1)", _ROWS), ("torch.log_softmax(x, -1)", {"x": (256, 4096)}),
    ("F.cross_entropy(x, labels)", {"x": (512, 1000)}),
    ("torch.logsumexp(-((x[:, None] - m) ** 2).sum(-1), 1)", {"x": (2000, 8), "m": (16, 8)}),
    ("x @ w", {"x": (512, 512), "w": (512, 512)}),
    ("torch.bmm(x, w)", {"x": (64, 128, 64), "w": (64, 64, 128)}),
    ("F.linear(x, w, b)", {**_ROWS, "w": (256, 256), "b": (256,)}),
    ("F.scaled_dot_product_attention(q, k, v, is_causal=True)", _HEADS),
    ("F.conv2d(x, w, padding=1)", {"x": (32, 16, 32, 32), "w": (16, 16, 3, 3)}),
    ("F.conv2d(x, w, padding=1)", {"x": (8, 32, 32, 32), "w": (32, 32, 3, 3)}),
    ("F.conv2d(x, w, stride=2, padding=1)", {"x": (32, 16, 32, 32), "w": (16, 16, 3, 3)}),
    ("F.conv2d(x, w, padding=1, groups=64)", {"x": (16, 64, 16, 16), "w": (64, 1, 3, 3)}),
    ("F.conv1d(x, w, padding=4, dilation=2)", {"x": (16, 32, 256), "w": (32, 32, 3)}),
    ("F.conv_transpose2d(x, w, stride=2, padding=1)", {"x": (32, 32, 8, 8), "w": (32, 16, 4, 4)}),
    ("x[places]", {"x": (2000, 64)}), ("F.embedding(places, x)", {"x": (2000, 64)}),
    ("torch.zeros(2000, 64).index_add(0, places, x)", {"x": (8000, 64)}),
    ("torch.fft.irfft(torch.fft.rfft(x))", {"x": (64, 1024)}),
    ("torch.fft.ifft2(torch.fft.fft2(x)).real", {"x": (32, 64, 64)}),
    ("torch.cdist(x, y)", {"x": (500, 8), "y": (500, 8)}),
    ("torch.linalg.cholesky(x @ x.T + 200 * torch.eye(200))", {"x": (200, 200)}),
)
SAMPLES, SAMPLE_SECONDS = 7, 0.02


def label(text: str, operands: Operands) -> str:
    """Return what a case is called."""
    return f"{text} of {', '.join('×'.join(map(str, shape)) for shape in operands.values())}"


def steps(torch: Any, text: str, operands: Operands) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return a case's call, and the same with its backward pass."""
    torch.manual_seed(0)
    known = {
        "torch": torch, "F": torch.nn.functional,
        "places": torch.randint(0, 2000, (8000,)), "labels": torch.randint(0, 1000, (512,)),
    }  # fmt: skip
    leaves = [torch.randn(*shape).requires_grad_() for shape in operands.values()]
    function = eval(f"lambda {', '.join(operands)}: {text}", known)

    def whole() -> None:
        for leaf in leaves:
            leaf.grad = None
        result = function(*leaves)
        result.backward(torch.ones_like(result))

    return lambda: function(*leaves), whole


def microseconds(step: Callable[[], Any], warm: float) -> float:
    """Return the median time of a step."""
    begin, count = time.perf_counter(), 0
    while (passed := time.perf_counter() - begin) < warm or count < 12:
        step()
        count += 1
    repeats, samples = max(1, int(SAMPLE_SECONDS * count / passed)), []
    for _ in range(SAMPLES):
        begin = time.perf_counter()
        for _ in range(repeats):
            step()
        samples.append((time.perf_counter() - begin) / repeats)
    return 1e6 * statistics.median(samples)


def _serve(connection: Connection, peer: str) -> None:
    torch = load(BY_NAME[peer]).module
    while (asked := connection.recv()) is not None:
        case, warm = asked
        connection.send([microseconds(step, warm) for step in steps(torch, *case)])


def measured(only: str, warm: float) -> dict[str, tuple[float, float]]:
    """Return the times of each case, forward and with backward, in pullback and in torch."""
    context, found, pipes = get_context("spawn"), {}, []
    for peer in ("pullback", BASELINE):
        ours, theirs = context.Pipe()
        context.Process(target=_serve, args=(theirs, peer), daemon=True).start()
        pipes.append(ours)
    for case in CASES:
        name = label(*case)
        if not re.search(only, name):
            continue
        times = []
        for pipe in pipes:
            pipe.send((case, warm))
            times.append(pipe.recv())
        forward, whole = zip(*times, strict=True)
        found[name], found[f"{name}, and backward"] = forward, whole
    for pipe in pipes:
        pipe.send(None)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the summary and the worst twenty."""
    title = "Time single ops on large arrays beside torch."
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large_calls", description=title)
    parser.add_argument("--only", default="", help="regular expression of cases")
    parser.add_argument("--warm", type=float, default=0.2, help="seconds of calls before each timing (0.2)")
    parser.add_argument("--output", help="file for all times, as JSON")
    options = parser.parse_args(arguments)
    times = measured(options.only, options.warm)
    if not times:
        parser.exit(1, "no call was measured\n")
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump(times, file, indent=1)
    print("\n".join(report.calls(times, "calls on large arrays", most=1.2, worst=20)))


if __name__ == "__main__":
    main()
