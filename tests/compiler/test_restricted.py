"""Native code for a processor that has nothing but what all of its kind have: results are the same."""

from __future__ import annotations

import platform
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("llvmlite")

_PROGRAM = textwrap.dedent(
    """
    import sys
    import llvmlite.binding as llvm

    class Features(dict):
        def flatten(self, sort=True):
            return ""

    llvm.get_host_cpu_name = lambda: sys.argv[1]
    llvm.get_host_cpu_features = Features
    import pullback as torch
    from pullback.compiler.runtime import engine
    assert engine.register_bytes() == 16 and not engine.fused()

    def network():
        torch.manual_seed(0)
        return torch.nn.Sequential(
            torch.nn.Linear(12, 40), torch.nn.GELU(), torch.nn.LayerNorm(40), torch.nn.Linear(40, 7)
        )

    def training(model):
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        def step(x, target):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(x), target)
            loss.backward()
            optimizer.step()
            return loss
        return step

    mine, theirs = network(), network()
    compiled, eager = torch.compile(training(mine), backend="native"), training(theirs)
    for seed in range(4):
        torch.manual_seed(seed)
        x, target = torch.randn(9, 12), torch.randint(0, 7, (9,))
        torch.testing.assert_close(compiled(x, target), eager(x, target), rtol=1e-4, atol=1e-5)
    assert compiled._native.eager_because is None and compiled._native.specializations
    text = compiled._native.specializations[0].forward.llvm
    assert '"target-features"=""' in text
    print("fine")
    """
)


@pytest.mark.skipif(platform.machine().lower() not in ("x86_64", "amd64"), reason="names x86 processors")
@pytest.mark.parametrize("processor", ["x86-64"])
def test_a_training_step_on_the_plainest_processor(processor):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _PROGRAM, processor], capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip
    assert done.stdout.strip() == "fine", done.stderr
