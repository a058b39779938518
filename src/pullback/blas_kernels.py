"""The matrix kernels of OpenBLAS on AMD's Zen 5: what it must be told before NumPy loads it.

The OpenBLAS in NumPy's and SciPy's wheels (0.3.31) does not know Zen 5 and takes the kernels of an Intel
Haswell, which leave half of the processor idle (docs/design/0007-blas-kernels.md). It reads
OPENBLAS_CORETYPE once, while it is loaded. What `choose` must do:

* act only where the gain is measured and the choice is safe: Linux on x86-64, an AMD processor of Zen 5's
  family or a later one, with every instruction set that the kernels for Intel's Skylake-X are compiled for;
* leave a choice of the user's alone, and a NumPy that is loaded already;
* cost next to nothing, since every program that imports pullback pays for it.

The variable stays set: SciPy loads an OpenBLAS of its own much later, and child processes should compute what
their parent computes, to the last bit.
"""

from __future__ import annotations

import os
import sys

#: Set to 0 to keep the kernels that OpenBLAS takes by itself.
SWITCH = "PULLBACK_BLAS_KERNELS"

_VARIABLE, _KERNELS = "OPENBLAS_CORETYPE", "SkylakeX"

#: Zen 5's number. Up to 25, Zen 4's, OpenBLAS 0.3.31 knows the families and takes what suits them.
_FIRST_FAMILY = 26

#: GCC's -march=skylake-avx512, as far as it concerns arithmetic, in the words of the kernel.
_INSTRUCTIONS = frozenset(
    ("avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi1", "bmi2", "f16c", "fma")
)

#: The first processor's block takes about 1,500 bytes.
_BLOCK_BYTES = 4096


def choose(cpuinfo: str = "/proc/cpuinfo") -> bool:
    """Have the OpenBLAS that NumPy is about to load take its kernels for AVX-512, where that is safe.

    Parameters
    ----------
    cpuinfo : str
        The file in which Linux describes the processors.

    Returns
    -------
    bool
        Whether the variable was set.
    """
    if (
        not sys.platform.startswith("linux")
        or "numpy" in sys.modules
        or _VARIABLE in os.environ
        or os.environ.get(SWITCH) == "0"
        or os.uname().machine != "x86_64"
    ):
        return False
    try:
        with open(cpuinfo, "rb") as file:
            text = file.read(_BLOCK_BYTES).decode("ascii", "replace")
    except OSError:  # no /proc here
        return False
    if not suits(text):
        return False
    os.environ[_VARIABLE] = _KERNELS
    return True


def suits(cpuinfo: str) -> bool:
    """Whether the first processor that the text describes is one that these kernels are for."""
    first, _, _ = cpuinfo.partition("\n\n")
    facts = {}
    for line in first.splitlines():
        name, _, value = line.partition(":")
        facts[name.strip()] = value.strip()
    family = facts.get("cpu family", "")
    return (
        facts.get("vendor_id") == "AuthenticAMD"
        and family.isdecimal()
        and int(family) >= _FIRST_FAMILY
        and _INSTRUCTIONS.issubset(facts.get("flags", "").split())
    )
