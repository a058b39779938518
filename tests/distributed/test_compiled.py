"""A compiled step does the collectives of an eager one: the module natively, the exchange between."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from .side_by_side import needs_mpi, run, same


@needs_mpi
@pytest.mark.skipif(find_spec("llvmlite") is None, reason="compiles")
def test_compiled_steps_are_eager_ones() -> None:
    done = run("compiled.py")
    for rank in ("0", "1"):
        found = done[rank]
        losses, parameters, passes, programs = found["eager"]
        assert (passes, programs) == (6, None)
        for how in ("step", "module"):
            assert same(found[how][:2], [losses, parameters], 1e-6), how
            # every step has reduced, and the module within is native
            assert found[how][2] == 6
            assert found[how][3] >= 1
        assert same(found["sharded step"], found["sharded"], 1e-6)
        expected = [[2.0 * (1 + 2 * k) + s] * 2 for k, s in zip(range(3), (2.0, 6.0, 14.0), strict=True)]
        assert found["collectives"] == expected
        assert sum("step runs in parts: DistributedDataParallel exchanges" in text for text in found["told"])
