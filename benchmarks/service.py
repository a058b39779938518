"""A service's figures: cold start, memory, installed size and latency, beside torch and onnxruntime.

``python -m benchmarks.service`` prints one Markdown table for each of a small CNN, BERT-base and GPT-2 small
(random weights of these sizes, from a safetensors file; no network). What this module must do:

- every figure is of a fresh process, which imports its library, reads the model and answers; the contenders
  take turns, and a cell gives the least of all rounds, and in brackets its ratio to torch's;
- a process runs as a service would: bytecode is compiled, files are in the system's cache, and what
  `pullback.compile` keeps on disk is there (one round is run before and not counted);
- the answers of all contenders are compared with torch's;
- ``--threads`` sets the threads of every library: on a machine that does other work, those that wait for each
  other measure that work.

It needs the extras ``compile``, ``files`` and ``onnx``, and torch and onnxruntime for their columns.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import service_models
from benchmarks.report import figure

#: What is timed, by what its process needs to be installed.
CONTENDERS = {
    "pullback": ("pullback", "safetensors"),
    "pullback.compile": ("pullback", "safetensors", "llvmlite"),
    "frozen": ("pullback",),
    "torch": ("torch", "safetensors", "numpy"),
    "onnxruntime": ("onnxruntime",),
}
BASELINE = "torch"
ROWS = {
    "cold_s": "start to first answer, s",
    "cpu_s": "processor time of that, s",
    "memory_mb": "memory at the first answer, MB",
    "p50_us": "latency, median, µs",
    "p99_us": "latency, 99 of 100 calls, µs",
}
#: Calls that latency is measured on: seconds that they may take, and how many there are at least and at most.
SECONDS, FEWEST, MOST = 1.5, 20, 2000
WARM_UP = 5
#: What BLAS libraries read how many threads they may have.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
#: By how much of the largest number answers may differ.
TOLERANCE = 1e-3


def installed() -> list[str]:
    """Return the contenders that can run here."""
    there = {name for needs in CONTENDERS.values() for name in needs if importlib.util.find_spec(name)}
    return [name for name, needs in CONTENDERS.items() if there.issuperset(needs)]


# --- the process of one contender ---------------------------------------------------------------------------


def _ready(contender: str, model: str, folder: Path, threads: int) -> Callable[[], np.ndarray]:
    """Import a library, read a model, and return what answers."""
    given = np.load(folder / f"{model}.npy")
    if contender == "onnxruntime":
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        path, providers = folder / f"{model}.onnx", ["CPUExecutionProvider"]
        session = onnxruntime.InferenceSession(path, options, providers=providers)
        name = session.get_inputs()[0].name
        return lambda: session.run(None, {name: given})[0]
    if contender == "torch":
        import torch
        from safetensors.torch import load_file
    else:
        import pullback as torch  # type: ignore[no-redef]  # as programs import it

        load_file = torch.load
    if threads:
        torch.set_num_threads(threads)
    x = torch.from_numpy(given)
    if contender == "frozen":
        program: Any = torch.load_frozen(folder / f"{model}.frozen")  # type: ignore[attr-defined]  # pullback's
    else:
        program = service_models.build(torch, model)
        program.load_state_dict(load_file(folder / f"{model}.safetensors"), assign=True)
        if contender == "pullback.compile":
            program = torch.compile(program)

    def answer() -> np.ndarray:
        with torch.inference_mode():
            return program(x).numpy()  # type: ignore[no-any-return]  # of either library

    return answer


def _memory() -> float:
    """Return the memory that this process holds, in MB, of which files that are mapped are a part."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1e3
    raise RuntimeError("/proc/self/status does not tell the memory held")


def serve(contender: str, model: str, folder: Path, threads: int) -> None:
    """Answer once, tell, and then measure latency."""
    answer = _ready(contender, model, folder, threads)
    first = answer()
    used = os.times()
    memory = _memory()
    print("answered", flush=True)
    for _ in range(WARM_UP):
        answer()
    seconds: list[float] = []
    end = time.perf_counter() + SECONDS
    while len(seconds) < FEWEST or (time.perf_counter() < end and len(seconds) < MOST):
        start = time.perf_counter()
        answer()
        seconds.append(time.perf_counter() - start)
    p50, p99 = np.percentile(seconds, [50, 99]) * 1e6
    figures = {"cpu_s": used.user + used.system, "memory_mb": memory, "p50_us": p50, "p99_us": p99}
    print(json.dumps(figures | {"answer": first.astype(float).reshape(-1)[:64].tolist()}), flush=True)


# --- the process that compares ------------------------------------------------------------------------------


def prepare(model: str, contenders: list[str], folder: Path) -> None:
    """Write a model's weights, and its other forms as far as contenders read them."""
    import pullback

    state = {name: pullback.from_numpy(a) for name, a in service_models.weights(pullback, model).items()}
    program = service_models.build(pullback, model)
    program.load_state_dict(state, assign=True)
    given = service_models.inputs(model)
    np.save(folder / f"{model}.npy", given)
    pullback.serialization.safetensors.save_file(program.state_dict(), folder / f"{model}.safetensors")
    x = pullback.from_numpy(given)
    if "frozen" in contenders:
        pullback.freeze(program, (x,), f=folder / f"{model}.frozen")
    if "onnxruntime" in contenders:
        pullback.onnx.export(program, (x,), folder / f"{model}.onnx", input_names=["x"])


def measured(contender: str, model: str, folder: Path, threads: int) -> dict[str, Any]:
    """Run a contender in a fresh process; return its figures."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PULLBACK_CACHE": str(folder / "cache"), "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    if threads:
        environment |= dict.fromkeys(THREADS, str(threads))
    command = [sys.executable, "-m", "benchmarks.service", "--threads", str(threads)]
    command += ["--serve", contender, model, str(folder)]
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        seconds = time.perf_counter() - start
        rest = process.stdout.read()
    if process.returncode or line != "answered\n":
        raise RuntimeError(f"{contender} failed at {model}")
    return json.loads(rest) | {"cold_s": seconds}


def least(rounds: list[dict[str, Any]]) -> dict[str, float]:
    """Return the least of each figure."""
    return {key: min(figures[key] for figures in rounds) for key in ROWS}


def table(model: str, figures: dict[str, dict[str, float]]) -> list[str]:
    """Return the lines of a Markdown table: a column for each contender, ratios in brackets."""
    lines = [f"| {model} | {' | '.join(figures)} |", f"|---|{'---:|' * len(figures)}"]
    for key, title in ROWS.items():
        base = figures.get(BASELINE, {}).get(key)
        cells = [
            figure(f[key]) + ("" if base is None or name == BASELINE else f" ({f[key] / base:.2f})")
            for name, f in figures.items()
        ]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return lines


def compare(model: str, contenders: list[str], rounds: int, threads: int, folder: Path) -> list[str]:
    """Measure a model in all contenders, in turns; return the lines of its table."""
    prepare(model, contenders, folder)
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in contenders}
    for n in range(rounds + 1):
        for name in contenders:
            figures = measured(name, model, folder, threads)
            if n:
                found[name].append(figures)
    lines = table(model, {name: least(figures) for name, figures in found.items()})
    reference = np.array(found.get(BASELINE, found[contenders[0]])[0]["answer"])
    for name, figures in found.items():
        error = np.abs(np.array(figures[0]["answer"]) - reference).max() / np.abs(reference).max()
        if not error <= TOLERANCE:
            lines.append(f"\n{name} answers otherwise: by {error:.1e} of the largest number")
    return lines


# --- installed size -----------------------------------------------------------------------------------------


def _needed(name: str, found: set[str]) -> None:
    """Add a distribution and all that it requires to a set."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in found:
        return
    try:
        requirements = importlib.metadata.requires(key) or []
    except importlib.metadata.PackageNotFoundError:
        return
    found.add(key)
    for requirement in requirements:
        if "extra ==" in requirement or ("sys_platform" in requirement and "linux" not in requirement):
            continue
        _needed(re.split(r"[^\w.-]", requirement, maxsplit=1)[0], found)


def _files(distribution: str) -> Iterator[Path]:
    if distribution == "pullback":
        # It may be installed as the working tree.
        place = importlib.util.find_spec("pullback")
        assert place is not None
        assert place.origin is not None
        yield from (p for p in Path(place.origin).parent.rglob("*") if p.is_file())
        return
    for file in importlib.metadata.files(distribution) or ():
        yield Path(str(file.locate()))


def size_mb(names: tuple[str, ...]) -> float:
    """Return the size of distributions and all that they require, without compiled bytecode, in MB."""
    found: set[str] = set()
    for name in names:
        _needed(name, found)
    paths = {path for name in found for path in _files(name) if path.suffix != ".pyc" and path.is_file()}
    return sum(path.stat().st_size for path in paths) / 1e6


def sizes(contenders: list[str]) -> list[str]:
    """Return the lines of the table of installed sizes."""
    figures = {name: size_mb(CONTENDERS[name]) for name in contenders}
    base = figures.get(BASELINE)
    cells = [
        figure(size) + ("" if base is None or name == BASELINE else f" ({size / base:.2f})")
        for name, size in figures.items()
    ]
    return [f"| | {' | '.join(figures)} |", f"|---|{'---:|' * len(figures)}",
            f"| installed, with all requirements, MB | {' | '.join(cells)} |"]  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.service", description=__doc__.splitlines()[0])
    parser.add_argument("--models", default=",".join(service_models.NAMES), help="separated by commas")
    parser.add_argument("--contenders", default=",".join(installed()), help="separated by commas")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0, help="of each library; 0 is what it takes itself")
    parser.add_argument("--serve", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.serve:
        contender, model, folder = options.serve
        serve(contender, model, Path(folder), options.threads)
        return 0
    contenders = options.contenders.split(",")
    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
    versions = [f"{name} {importlib.metadata.version(name)}" for name in ("torch", "onnxruntime")
                if importlib.util.find_spec(name)]  # fmt: skip
    print(f"{now}, {os.cpu_count()} cores, Python {sys.version.split()[0]}, {', '.join(versions)}, "
          f"{f'{options.threads} threads, ' if options.threads else ''}least of {options.rounds} rounds "
          f"(ratio to {BASELINE})\n", flush=True)  # fmt: skip
    print("\n".join(sizes(contenders)), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for model in options.models.split(","):
            lines = compare(model, contenders, options.rounds, options.threads, Path(folder))
            print("\n" + "\n".join(lines), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
