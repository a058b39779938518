"""Rules for functions of modules that most programs never load are declared with the first call."""

import subprocess
import sys

import pytest

import pullback as torch

pytest.importorskip("llvmlite")

PROGRAM = """
import sys
import pullback as torch

def function(x):
    for _ in range(40):
        x = torch.tanh(x * 1.5)
    return x

compiled = torch.compile(function, fullgraph=True)
compiled(torch.ones(300))
print([e.op for e in compiled._native.specializations[0].captured.program.equations])
print([name for name in ("logging", "pullback.nn.parallel", "pullback.func") if name in sys.modules])
import logging
logger = logging.getLogger("of a test")
logger.addHandler(logging.StreamHandler(sys.stdout))

def logs(x):
    logger.warning("three times %d", 3)
    return x * 2

compiled = torch.compile(logs, fullgraph=True)
for _ in range(3):
    compiled(torch.ones(3))
print(len(compiled._native.specializations), torch.nn.DataParallel.__name__, "parallel" in dir(torch.nn))
"""


def test_a_first_call_loads_no_logging_and_no_parallel_modules() -> None:
    found = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == ["['scan']", "[]", *["three times 3"] * 3, "1 DataParallel True"]


def test_a_look_at_the_modes_that_the_function_set_itself() -> None:
    """torchvision's transformers call ``torch._assert``, which asks them, under ``no_grad``."""

    @torch.compile(fullgraph=True)
    def step(x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            torch._assert(x.dim() == 1, "a vector is doubled")
            y = x * 2
        return y + 1 if torch.is_grad_enabled() else y

    x = torch.ones(3)
    for _ in range(2):
        assert step(x).tolist() == [3, 3, 3]
        with torch.no_grad():
            assert step(x).tolist() == [2, 2, 2]
