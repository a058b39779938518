"""Measurements that need a fresh process: ``python -m benchmarks.probe WHAT PEER [NODES]``.

WHAT is ``chain``, ``import``, or, of a row, ``start:ROW``, which starts two processes that share a cache
folder that is empty at first: ``begin:ROW``.

Prints one JSON object. Memory is the growth of the resident set, which counts Python objects and native
memory alike, so that a node of PyTorch and a node of a Python library are measured by the same rule.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import re
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.case import Case, Library, Row
from benchmarks.peers import BASELINE, BY_NAME, Peer, load

WARM_UP_NODES = 1000
PEAK_STEPS = 5
#: What names the folder in which a peer keeps what it compiled.
CACHE_FOLDERS = ("PULLBACK_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "JAX_COMPILATION_CACHE_DIR")


def _resident_bytes() -> int:
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    # Elsewhere only the peak is to be had, which serves because the chain only grows.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _peak_bytes() -> int:
    status = Path("/proc/self/status")
    if status.exists():
        # A process begins with its parent's peak in ``ru_maxrss``.
        return int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1]) * 1024  # type: ignore[index]  # every Linux has it
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _torch_chain(module: Any) -> tuple[Callable[[int], Any], Callable[[Any], float]]:
    c = module.tensor(0.9999999)

    def build(nodes: int) -> Any:
        y = x = module.tensor(1.0, requires_grad=True)
        for _ in range(nodes):
            y = y * c
        return x, y

    def pull(built: Any) -> float:
        x, y = built
        y.backward()
        return float(x.grad)

    return build, pull


def _mygrad_chain(module: Any) -> tuple[Callable[[int], Any], Callable[[Any], float]]:
    import numpy as np

    c = module.tensor(np.float32(0.9999999), constant=True)

    def build(nodes: int) -> Any:
        y = x = module.tensor(np.float32(1.0))
        for _ in range(nodes):
            y = y * c
        return x, y

    def pull(built: Any) -> float:
        x, y = built
        y.backward()
        return float(x.grad)

    return build, pull


def _autograd_chain(module: Any) -> tuple[Callable[[int], Any], Callable[[Any], float]]:
    import numpy as np

    c = np.float32(0.9999999)

    def build(nodes: int) -> Any:
        def function(y: Any) -> Any:
            for _ in range(nodes):
                y = y * c
            return y

        return module.make_vjp(function)(np.float32(1.0))

    def pull(built: Any) -> float:
        pullback, _ = built
        return float(pullback(np.float32(1.0)))

    return build, pull


CHAINS = {"torch": _torch_chain, "mygrad": _mygrad_chain, "autograd": _autograd_chain}


def chain(peer: Peer, nodes: int) -> dict[str, float]:
    """Build a chain of ``y = y·c`` on 0-d float32 and pull a covector back through it."""
    build, pull = CHAINS[peer.family](load(peer).module)
    pull(build(WARM_UP_NODES))
    before = _resident_bytes()
    start = time.perf_counter()
    built = build(nodes)
    middle = time.perf_counter()
    grown = _resident_bytes() - before
    resume = time.perf_counter()
    pull(built)
    seconds = (time.perf_counter() - resume) + (middle - start)
    return {"node_us": seconds / nodes * 1e6, "node_bytes": grown / nodes}


def _package_bytes(package: str) -> int:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.submodule_search_locations is None:
        return 0
    return sum(
        path.stat().st_size
        for root in spec.submodule_search_locations
        for path in Path(root).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    )


def _distribution_bytes(name: str, seen: set[str]) -> int:
    """Bytes of an installed distribution and of everything that it requires without extras."""
    name = re.sub(r"[-_.]+", "-", name).lower()
    if name in seen:
        return 0
    seen.add(name)
    try:
        distribution = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return 0
    total = sum(
        path.stat().st_size
        for file in distribution.files or ()
        if (path := Path(str(distribution.locate_file(file)))).is_file() and path.suffix != ".pyc"
    )
    for requirement in distribution.requires or ():
        specification, _, marker = requirement.partition(";")
        if "extra" not in marker:
            match = re.match(r"[A-Za-z0-9._-]+", specification.strip())
            if match:
                total += _distribution_bytes(match.group(), seen)
    return total


def _lists_package(peer: Peer) -> bool:
    """Whether the distribution's list of files holds the package; a development install's does not."""
    try:
        files = importlib.metadata.distribution(peer.distribution).files or ()
    except importlib.metadata.PackageNotFoundError:
        return False
    return any(file.parts[0] == peer.package for file in files)


def import_(peer: Peer) -> dict[str, float]:
    """Microseconds of the import in this fresh process; megabytes on disk."""
    if peer.family == "tinygrad":
        os.environ.setdefault("DEV", "CPU")
    start = time.perf_counter()
    importlib.import_module(peer.package)
    seconds = time.perf_counter() - start
    own = _package_bytes(peer.package)
    with_dependencies = _distribution_bytes(peer.distribution, set())
    if not _lists_package(peer):
        with_dependencies += own
    return {"import_us": seconds * 1e6, "size_mb": own / 1e6, "size_all_mb": with_dependencies / 1e6}


def _case(library: Library, peer: Peer, name: str) -> Case:
    from benchmarks.suite import HELD, OPEN
    from benchmarks.workloads import ROWS

    row = (ROWS | OPEN | HELD)[name]
    assert isinstance(row, Row)
    return row.builders[peer.family](library)


def begin(peer: Peer, name: str) -> dict[str, float]:
    """Compile a row's function, call it, and take some steps more.

    Seconds are those of the first call: building the model and its data does not count. Memory is the most
    held at a time, beyond that of the imported library and in the whole process. What a library loads when it
    is first needed (LLVM) counts, what its import loads does not.
    """
    library = load(peer)
    if peer.family == "jax":
        # Draws the numbers of the suite's steps and is no part of what they need.
        importlib.import_module("pullback")
    before = _peak_bytes()
    seconds = 0.0

    def compile(function: Callable[..., Any]) -> Callable[..., Any]:
        nonlocal seconds
        start = time.perf_counter()
        compiled = library.compile(function)
        seconds += time.perf_counter() - start
        return compiled

    case = _case(replace(library, compile=compile), peer, name)
    start = time.perf_counter()
    case.step()
    seconds += time.perf_counter() - start
    for _ in range(PEAK_STEPS - 1):
        case.step()
    peak = _peak_bytes()
    return {"seconds": seconds, "peak_mb": (peak - before) / 1e6, "process_mb": peak / 1e6}


def start(peer: Peer, name: str) -> dict[str, float]:
    """The first call and the peak memory where nothing was compiled before, and in the next process.

    The sources' bytecode is there, as an installed package's is.
    """
    # Here, because what is imported before a peer would not count in the time of its import.
    import compileall
    import subprocess
    import tempfile

    sources = [importlib.util.find_spec(name) for name in ("pullback", "benchmarks")]
    for source in sources:
        compileall.compile_dir(next(iter(source.submodule_search_locations)), quiet=2)  # type: ignore[union-attr,arg-type]  # both are packages
    command = [sys.executable, "-m", "benchmarks.probe", f"begin:{name}", peer.name]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        caches = {variable: str(Path(folder) / variable) for variable in CACHE_FOLDERS}
        environment = os.environ | caches | {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
        # What torch runs eagerly leaves nothing for the next process.
        for _ in range(1 if peer.name == BASELINE else 2):
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=True)
            found.append(json.loads(done.stdout.splitlines()[-1]))
    new, cached = found[0], found[-1]
    return {
        "first_s": new["seconds"], "cached_s": cached["seconds"],
        "first_mb": new["peak_mb"], "cached_mb": cached["peak_mb"], "process_mb": cached["process_mb"],
    }  # fmt: skip


PROBES_OF_ROWS = {"begin": begin, "start": start}


def main(arguments: list[str]) -> None:
    (probe, _, row), peer = arguments[0].partition(":"), BY_NAME[arguments[1]]
    if probe in PROBES_OF_ROWS:
        result = PROBES_OF_ROWS[probe](peer, row)
    else:
        result = chain(peer, int(arguments[2])) if probe == "chain" else import_(peer)
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1:])
