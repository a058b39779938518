"""One process of torch's distributed tests: run tests in turn, in a new default group each.

    RANK=0 WORLD_SIZE=4 BACKEND=gloo python worker.py FILE FOLDER [TEST ...]

FILE is the file of tests, FOLDER gets ``<test>/<rank>.json`` with what became of a test. Without names of
tests it writes all their names to ``FOLDER/names.json``.
"""

from __future__ import annotations

import ast
import datetime
import importlib
import importlib.util
import json
import os
import random
import sys
import time
import traceback
import unittest
from pathlib import Path
from typing import Any

import accelerator
import numpy as np
import support
import torch
import torch.distributed as dist


class MissingError(Exception):
    """Tell that a test uses a name that the library does not have."""


class Missing:
    """Stand for a name that the library does not have: every use of it is an error."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise MissingError(self.name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"{self.name}.{name}")


def stand_for_missing(text: str) -> None:
    """Put something into the place of what the tests import and the library lacks, so that others can run."""
    for node in ast.parse(text).body:
        names = [alias.name for alias in getattr(node, "names", ())]
        if isinstance(node, ast.Import):
            for name in names:
                _module(name)
        elif isinstance(node, ast.ImportFrom) and node.module:
            module = _module(node.module)
            for name in names if not isinstance(module, Missing) else ():
                if not hasattr(module, name) and isinstance(_module(f"{node.module}.{name}"), Missing):
                    setattr(module, name, sys.modules.pop(f"{node.module}.{name}"))


def _module(name: str) -> Any:
    """Return a module, or what stands for it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        sys.modules[name] = Missing(name)  # type: ignore[assignment]
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(_module(parent), last, sys.modules[name])
        return sys.modules[name]


def outcome(case: Any, module: Any, name: str, folder: Path) -> dict[str, Any]:
    """Run a test in a new group; return what became of it."""
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    for each in ("barrier", "test_dir", "init_dir"):
        (folder / each).mkdir(parents=True, exist_ok=True)
    os.environ["TEMP_DIR"] = str(folder)
    case.rank, case.file_name = rank, str(folder / "meeting")
    start = time.perf_counter()
    try:
        function = getattr(case, name)
        if getattr(function, "__unittest_skip__", False):
            raise unittest.SkipTest(function.__unittest_skip_why__)
        seconds = module.CUSTOM_PG_TIMEOUT.get(name, module.default_pg_timeout)
        dist.init_process_group(
            init_method=case.init_method, backend=module.BACKEND, world_size=size, rank=rank,
            timeout=datetime.timedelta(seconds=seconds),
        )  # fmt: skip
        module.Barrier.barrier_id = 0
        case._barrier()
        torch.manual_seed(1234)
        random.seed(1234)
        np.random.seed(1234)
        function()
        case._barrier()
    except unittest.SkipTest as reason:
        return {"outcome": "skip", "text": str(reason)}
    except SystemExit as end:
        return {"outcome": "skip" if end.code else "pass", "text": f"exit {end.code}"}
    except BaseException:  # noqa: BLE001  # whatever it is, the parent tells it
        return {"outcome": "fail", "text": traceback.format_exc()}
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()
    return {"outcome": "pass", "text": "", "seconds": round(time.perf_counter() - start, 2)}


def main() -> None:
    """Run the tests that are named."""
    file, place, *names = sys.argv[1:]
    rank = os.environ["RANK"]
    support.install()
    stand_for_missing(Path(file).read_text("utf-8"))
    spec = importlib.util.spec_from_file_location("distributed_test", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    if support.ACCELERATED:
        accelerator.stand_in()
    cases = type("Cases", (module.TestDistBackend, module.DistributedTest._DistTestBase), {})
    if not names:
        found = [name for name in dir(cases) if name.startswith("test_")]
        Path(place, "names.json").write_text(json.dumps(found))
        return
    for name in names:
        folder = Path(place, name)
        folder.mkdir(exist_ok=True)
        told = outcome(cases(name), module, name, folder)
        unfinished = folder / f"{rank}.part"
        unfinished.write_text(json.dumps(told))
        unfinished.rename(folder / f"{rank}.json")
        while len(list(folder.glob("*.json"))) < int(os.environ["WORLD_SIZE"]):
            time.sleep(0.005)


if __name__ == "__main__":
    main()
