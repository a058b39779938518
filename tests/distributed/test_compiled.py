"""A compiled step does the collectives of an eager one, as equations of its program or between its parts."""

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
        losses, parameters, passes, _ = found["eager"]
        assert passes == 50
        # one program, with the broadcast of the buffers and the reductions of the buckets
        for how, begun in (("step", 3), ("small buckets", 4)):
            assert same(found[how][:2], [losses, parameters], 1e-6), how
            assert found[how][2:] == [50, [begun]], how
        assert same(found["accumulated step"][:2], found["accumulated"][:2], 1e-6)
        assert found["accumulated step"][2] == 50
        assert len(found["accumulated step"][3]) == 1
        assert same(found["one compiled"][0], losses[:8], 1e-6)
        # every step has reduced, and the module within is native
        assert same(found["hook"][:2], [losses, parameters], 1e-6)
        assert found["hook"][2] == 50
        assert found["hook"][3]
        assert same(found["module"][0], losses[:6], 1e-6)
        assert found["module"][2] == 6
        assert found["module"][3]
        assert same(found["sharded step"], found["sharded"], 1e-6)
        expected = [[2.0 * (1 + 2 * k) + s] * 2 for k, s in zip(range(3), (2.0, 6.0, 14.0), strict=True)]
        assert found["collectives"] == expected
        sums = [[[1.0] * 2] * 3, [[3.0] * 2, [3.0] * 2, [2.0] * 2]]
        assert found["in order"] == [sums, 5, None]
        assert sum("step runs in parts: DistributedDataParallel exchanges" in text for text in found["told"])
