"""Which kernels OpenBLAS is told to take: each condition, and that their products are right."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pullback import blas_kernels

FLAGS = "fpu sse2 avx avx2 f16c fma bmi1 bmi2 avx512f avx512dq avx512cd avx512bw avx512vl avx512_bf16"


def cpuinfo(vendor: str = "AuthenticAMD", family: str = "26", flags: str = FLAGS) -> str:
    def block(number: int, vendor: str, flags: str) -> str:
        facts = {"processor": number, "vendor_id": vendor, "cpu family": family, "flags": flags, "bugs": ""}
        return "".join(f"{name}\t: {value}\n" for name, value in facts.items()) + "\n"

    return block(0, vendor, flags) + block(1, "AuthenticAMD", FLAGS)


@pytest.fixture
def zen5(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A file that describes two cores of a Zen 5, for a process that has not loaded NumPy."""
    loaded = {name: module for name, module in sys.modules.items() if name != "numpy"}
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("OPENBLAS_CORETYPE", blas_kernels.SWITCH)
    }
    monkeypatch.setattr(sys, "modules", loaded)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "environ", environment)
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "here", "6", "1", "x86_64")))
    path = tmp_path / "cpuinfo"
    path.write_text(cpuinfo())
    return str(path)


def test_zen5_is_given_the_kernels_for_avx512(zen5: str):
    assert blas_kernels.choose(zen5)
    assert os.environ["OPENBLAS_CORETYPE"] == "SkylakeX"
    assert not blas_kernels.choose(zen5)  # a second time finds it set


def test_a_loaded_numpy_is_left_alone(zen5: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "numpy", sys)
    assert not blas_kernels.choose(zen5)
    assert "OPENBLAS_CORETYPE" not in os.environ


@pytest.mark.parametrize("chosen", ["Haswell", ""])
def test_the_users_choice_stands(zen5: str, monkeypatch: pytest.MonkeyPatch, chosen: str):
    monkeypatch.setitem(os.environ, "OPENBLAS_CORETYPE", chosen)
    assert not blas_kernels.choose(zen5)
    assert os.environ["OPENBLAS_CORETYPE"] == chosen


def test_the_switch(zen5: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(os.environ, "PULLBACK_BLAS_KERNELS", "0")
    assert not blas_kernels.choose(zen5)
    monkeypatch.setitem(os.environ, "PULLBACK_BLAS_KERNELS", "1")
    assert blas_kernels.choose(zen5)


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_other_systems(zen5: str, monkeypatch: pytest.MonkeyPatch, system: str):
    monkeypatch.setattr(sys, "platform", system)
    assert not blas_kernels.choose(zen5)


def test_other_machines(zen5: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "here", "6", "1", "aarch64")))
    assert not blas_kernels.choose(zen5)


def test_no_description_of_the_processor(zen5: str):
    assert not blas_kernels.choose(zen5 + "-missing")


@pytest.mark.parametrize(
    ("described", "suits"),
    [
        (cpuinfo(), True),
        (cpuinfo(family="27"), True),
        (cpuinfo(family="25"), False),  # Zen 4, which OpenBLAS knows
        (cpuinfo(family="unknown"), False),
        (cpuinfo(vendor="GenuineIntel", family="6"), False),
        (cpuinfo(vendor="GenuineIntel"), False),
        # A hypervisor may hide instructions; those of the second core do not count.
        *((cpuinfo(flags=FLAGS.replace(f" {name} ", " ")), False) for name in FLAGS.split()[3:-1]),
        ("", False),
        ("processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\n\n", False),  # an Arm
    ],
)
def test_the_processors_that_suit(described: str, suits: bool):
    assert blas_kernels.suits(described) is suits


def test_the_first_kilobytes_are_enough(zen5: str):
    Path(zen5).write_text(cpuinfo() + "x" * 10**6)
    assert blas_kernels.choose(zen5)


PRODUCTS = """
import pullback
import numpy as np
random = np.random.default_rng(0)
worst = 0.0
for dtype, wide, real in [("f4", "f8", "f8"), ("f8", "g", "g"), ("c8", "c16", "f8"), ("c16", "G", "g")]:
    def draw(*shape):
        values = random.standard_normal(shape)
        return (values + 1j * values[::-1] if dtype[0] == "c" else values).astype(dtype)
    for m, n, k in [(1, 1, 1), (1, 17, 33), (3, 5, 7), (15, 1, 9), (16, 16, 16), (17, 31, 63), (33, 65, 129),
                    (64, 96, 48), (97, 101, 103), (129, 255, 7), (255, 63, 257), (5, 300, 500)]:
        a, b = draw(m, k), draw(k, n)
        for x, y in [(a, b), (a.T.copy().T, b), (a, b.T.copy().T), (a.T.copy().T, b.T.copy().T)]:
            exact = x.astype(wide) @ y.astype(wide)
            bound = np.abs(x).astype(real) @ np.abs(y).astype(real)
            worst = max(worst, float((np.abs(x @ y - exact) / bound).max() / np.finfo(dtype).eps / k**0.5))
        v = draw(k)
        bound = np.abs(a).astype(real) @ np.abs(v).astype(real)
        error = np.abs(a @ v - a.astype(wide) @ v.astype(wide)) / bound
        worst = max(worst, float(error.max() / np.finfo(dtype).eps / k**0.5))
print(worst)
"""


def test_products_of_odd_sizes_are_right():
    """With whatever kernels pullback chooses on this machine: errors of a few units in the last place."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    done = subprocess.run([sys.executable, "-c", PRODUCTS], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 2
