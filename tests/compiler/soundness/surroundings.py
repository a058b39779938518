"""Give each run of a program the same surroundings, and put back what it leaves changed."""

from __future__ import annotations

import atexit
import builtins
import logging
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

#: The folder that programs run in, as long as they leave it empty: making one takes longer than many of them.
_folder: list[str] = []


def _empty_folder() -> str:
    if not _folder or not os.path.isdir(_folder[0]) or os.listdir(_folder[0]):
        _folder[:] = [tempfile.mkdtemp()]
        atexit.register(shutil.rmtree, _folder[0], ignore_errors=True)
    return _folder[0]


@contextmanager
def surroundings(torch: Any) -> Iterator[None]:
    """Seed what is random; afterwards restore streams, builtins, variables, modes and the folder."""
    held = dict(vars(builtins))
    variables = dict(os.environ)
    streams, folder = (sys.stdout, sys.stderr), os.getcwd()
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    states = random.getstate(), np.random.get_state(), torch.get_rng_state()
    modes = torch.get_default_dtype(), torch.is_grad_enabled(), torch.get_num_threads()
    deterministic = torch.are_deterministic_algorithms_enabled()
    program = sys.modules.get("program")
    random.seed(7)
    np.random.seed(7)
    torch.manual_seed(7)
    os.chdir(_empty_folder())
    try:
        yield
    finally:
        os.chdir(folder)
        sys.stdout, sys.stderr = streams
        _restore(vars(builtins), held)
        _restore(os.environ, variables)
        root.handlers[:] = handlers
        root.setLevel(level)
        random.setstate(states[0])
        np.random.set_state(states[1])
        torch.set_rng_state(states[2])
        torch.set_default_dtype(modes[0])
        torch.set_grad_enabled(modes[1])
        if torch.get_num_threads() != modes[2]:
            torch.set_num_threads(modes[2])
        torch.use_deterministic_algorithms(deterministic)
        sys.modules.pop("program", None)
        if program is not None:
            sys.modules["program"] = program


def _restore(mapping: Any, held: dict[str, Any]) -> None:
    for name in set(mapping) - set(held):
        del mapping[name]
    for name, value in held.items():
        if name not in mapping or mapping[name] is not value:
            mapping[name] = value
