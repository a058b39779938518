"""Stand-ins for the modules that torch's distributed tests import to be run by.

Torch's own need a build of torch with everything in it. These are small, and both libraries run with them,
so that a test is judged by one measure. Tests for accelerators are skipped unless the variable
CPU_AS_ACCELERATOR lets the CPU stand for one; tests that torch keeps for worlds of eight run in any of four.
"""

# ruff: noqa: PT009, PT027  (these are the methods of unittest that the tests call)

from __future__ import annotations

import functools
import io
import os
import sys
import tempfile
import types
import unittest
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from itertools import product
from typing import Any, ClassVar, NamedTuple

import torch
import torch.distributed as dist

#: Whether the CPU stands for as many accelerators as there are processes.
ACCELERATED = bool(os.environ.get("CPU_AS_ACCELERATOR"))


class TestSkip(NamedTuple):
    """The exit code of a process that skips a test, and why it does."""

    exit_code: int
    message: str


class Reasons(dict[str, TestSkip]):
    """The reasons to skip a test, by name."""

    def __missing__(self, name: str) -> TestSkip:
        return TestSkip(80, name)


class DistTestCases:
    """What each backend is said to do."""

    skip_collective: ClassVar[dict[str, set[str]]] = {
        "allgather_coalesced": {"nccl", "mpi", "ucc", "xccl"}, "reduce": set(),
        "sendrecv anysource": {"nccl", "ucc", "xccl"}, "cpu barrier": {"nccl", "ucc", "xccl"},
    }  # fmt: skip
    backend_feature: ClassVar[dict[str, set[str]]] = {
        **{name: {"nccl", "gloo", "ucc"} for name in ("gpu", "cuda", "ddp", "subgroup")}, "plugin": set(),
    }  # fmt: skip


class TestCase(unittest.TestCase):
    """A test with torch's comparisons of nested tensors."""

    rank = 0
    file_name = ""

    def assertEqual(
        self, x: Any, y: Any, msg: Any = None, *, atol: float | None = None, rtol: float | None = None,
        exact_dtype: bool = True, **_: Any,
    ) -> None:  # fmt: skip
        """Compare nested values; tensors up to the rounding of their dtype."""
        if isinstance(x, torch.Tensor) or isinstance(y, torch.Tensor):
            if not isinstance(x, torch.Tensor):
                x, exact_dtype = torch.as_tensor(x), False
            if not isinstance(y, torch.Tensor):
                y, exact_dtype = torch.as_tensor(y), False
            if x.is_sparse or y.is_sparse:
                self.assertEqual(x.is_sparse, y.is_sparse)
                x, y = x.to_dense(), y.to_dense()
            torch.testing.assert_close(
                x, y.expand_as(x) if y.dim() == 0 < x.dim() else y, atol=atol, rtol=rtol,
                check_dtype=exact_dtype, equal_nan=True,
            )  # fmt: skip
        elif isinstance(x, Mapping) and isinstance(y, Mapping):
            super().assertEqual(set(x), set(y), msg)
            for key in x:
                self.assertEqual(x[key], y[key], msg, atol=atol, rtol=rtol, exact_dtype=exact_dtype)
        elif isinstance(x, Sequence) and isinstance(y, Sequence) and not isinstance(x, str):
            super().assertEqual(len(x), len(y), msg)
            for a, b in zip(x, y, strict=True):
                self.assertEqual(a, b, msg, atol=atol, rtol=rtol, exact_dtype=exact_dtype)
        elif isinstance(x, float) and isinstance(y, (int, float)):
            torch.testing.assert_close(x, float(y), atol=atol, rtol=rtol, equal_nan=True)
        else:
            super().assertEqual(x, y, msg)

    def assertNotEqual(self, x: Any, y: Any, msg: Any = None, **more: Any) -> None:
        """Refuse values that compare equal."""
        with self.assertRaises(AssertionError, msg=msg):
            self.assertEqual(x, y, msg, **more)

    def assertGreaterAlmostEqual(self, x: Any, y: Any, delta: float = 0.0, **_: Any) -> None:
        """Compare up to a difference."""
        self.assertGreaterEqual(x + (delta or 1e-7), y)


class MultiProcessTestCase(TestCase):
    """A test that each process runs."""


def skip_if(condition: bool, reason: str) -> Callable[[Any], Any]:
    """Return a decorator that skips a test where a condition holds."""
    return unittest.skipIf(condition, reason)


def skip_but_pass(reason: str) -> Callable[[Any], Any]:
    """Return a decorator that skips a test."""
    return unittest.skip(reason)


def unchanged(*_: Any, **__: Any) -> Callable[[Any], Any]:
    """Return a decorator that changes nothing."""
    return lambda function: function


def needs_accelerators(count: int = 1, allow_cpu: bool = False) -> Callable[[Any], Any]:
    """Return a decorator that skips a test where there are fewer accelerators."""
    enough = allow_cpu or (ACCELERATED and count <= int(os.environ["WORLD_SIZE"]))
    return unittest.skipIf(not enough, f"needs {count} accelerators")


def with_dist_debug_levels(levels: Sequence[str]) -> Callable[[Any], Any]:
    """Return a decorator that runs a test at each level of checks."""

    def decorator(function: Any) -> Any:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> None:
            before = os.environ.get("TORCH_DISTRIBUTED_DEBUG")
            try:
                for level in levels:
                    os.environ["TORCH_DISTRIBUTED_DEBUG"] = level
                    dist.set_debug_level_from_env()
                    function(*args, **kwargs)
                    dist.barrier()
            finally:
                os.environ.pop("TORCH_DISTRIBUTED_DEBUG")
                if before is not None:
                    os.environ["TORCH_DISTRIBUTED_DEBUG"] = before
                dist.set_debug_level_from_env()

        return run

    return decorator


def verify_ddp_error_logged(model: Any, text: str) -> None:
    """Check that the record of a model has an error."""
    record = model._get_ddp_logging_data()
    assert {"iteration", "has_error"} <= set(record)
    assert text.partition("\nException raised from ")[0] in record["error"], record["error"]


@contextmanager
def captured_output() -> Iterator[tuple[Any, Any]]:
    """Give what is printed meanwhile."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        yield out, err


@contextmanager
def temporary_file_name(*args: Any, **kwargs: Any) -> Iterator[str]:
    """Give the name of a file that is removed at the end."""
    with tempfile.NamedTemporaryFile(*args, **kwargs) as file:
        yield file.name


def sparse_cases(rank: int, world_size: int, num_inputs: int = 1) -> list[Any]:
    """Return sparse tensors of a process, and the sum of those of all."""

    def one(rank: int, size: int, sparse: int, dense: int) -> Any:
        places = torch.zeros(sparse, rank + 1, dtype=torch.int64)
        places[0] = torch.arange(rank + 1)
        shape = [size] * sparse + [2] * dense
        return torch.sparse_coo_tensor(places, torch.ones([rank + 1, *([2] * dense)]), shape)

    cases = []
    for sparse, dense in ((1, 0), (2, 0), (3, 0), (1, 1), (1, 2), (1, 3)):
        size = num_inputs * world_size
        given = [one(num_inputs * rank + i, size, sparse, dense) for i in range(num_inputs)]
        total = one(0, size, sparse, dense)
        for other in range(1, size):
            total = total + one(other, size, sparse, dense)
        cases.append((given, [total] * num_inputs))
    return cases


def accelerators_of(world_size: int, backend: str) -> dict[int, list[int]]:
    """Return the accelerators of each process."""
    return {rank: [rank] if ACCELERATED else [] for rank in range(world_size)}


def parametrize(names: str, values: Any) -> Callable[[Any], Any]:
    """Return a decorator that notes the arguments of a test."""

    def decorator(function: Any) -> Any:
        noted = getattr(function, "parameters", [])
        function.parameters = [(names.replace(" ", "").split(","), list(values)), *noted]
        return function

    return decorator


def instantiate(cls: type) -> type:
    """Replace each test with noted arguments by one for each of their combinations."""
    for name, function in list(vars(cls).items()):
        parameters = getattr(function, "parameters", None)
        if parameters is None:
            continue
        delattr(cls, name)
        for chosen in product(*(values for _, values in parameters)):
            given: dict[str, Any] = {}
            for (names, _), value in zip(parameters, chosen, strict=True):
                given.update(zip(names, value if len(names) > 1 else [value], strict=True))
            suffix = "_".join(f"{key}_{value}" for key, value in given.items())
            setattr(cls, f"{name}_{suffix}", functools.partialmethod(function, **given))
    return cls


def install() -> None:
    """Put these stand-ins where torch's tests look for the modules."""
    world = int(os.environ["WORLD_SIZE"])
    common: dict[str, Any] = {
        "captured_output": captured_output, "cleanup_temp_dir": lambda: None, "DistTestCases": DistTestCases,
        "init_multigpu_helper": accelerators_of, "initialize_temp_directories": lambda *_: None,
        "MultiProcessTestCase": MultiProcessTestCase,
        "nccl_skip_if_lt_x_gpu": lambda backend, count: (
            needs_accelerators(count) if backend == "nccl" else unchanged()
        ),
        "require_n_gpus_for_nccl_backend": unchanged, "requires_nccl_version": unchanged,
        "simple_sparse_reduce_tests": sparse_cases, "skip_if_lt_x_gpu": needs_accelerators,
        "skip_if_no_gpu": needs_accelerators(1),
        "skip_if_odd_worldsize": skip_if(world % 2 == 1, "needs an even number of processes"),
        "skip_if_rocm_multiprocess": lambda function: function,
        "skip_if_small_worldsize": skip_if(world < 4, "needs four processes"), "TEST_SKIPS": Reasons(),
        "verify_ddp_error_logged": verify_ddp_error_logged,
        "with_dist_debug_levels": with_dist_debug_levels,
        "with_nccl_blocking_wait": lambda function: function,
    }  # fmt: skip
    utilities: dict[str, Any] = {
        "FILE_SCHEMA": "file://", "instantiate_parametrized_tests": instantiate, "parametrize": parametrize,
        "IS_FBCODE": False, "IS_LINUX": True, "IS_MACOS": False, "IS_SANDCASTLE": False, "IS_WINDOWS": False,
        "skip_but_pass_in_sandcastle": skip_but_pass, "skip_but_pass_in_sandcastle_if": skip_if,
        "TemporaryFileName": temporary_file_name, "TEST_WITH_ROCM": False, "TestCase": TestCase,
        "run_tests": lambda: None,
    }  # fmt: skip
    modules = {
        "torch.testing._internal.common_distributed": common,
        "torch.testing._internal.common_utils": utilities,
    }  # fmt: skip
    if "pullback" in sys.modules:  # torch has these, and more that it imports from them
        modules["torch.testing._internal"] = {"__path__": []}
        modules["torch._utils_internal"] = {"TEST_MASTER_ADDR": "127.0.0.1", "TEST_MASTER_PORT": 29500}
    for name, contents in modules.items():
        module = types.ModuleType(name)
        vars(module).update(contents)
        sys.modules[name] = module
