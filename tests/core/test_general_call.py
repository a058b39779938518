"""What a bare ``import pullback`` can do off the inline path."""

from __future__ import annotations

import subprocess
import sys


def test_import_alone_suffices_for_dtypes_off_the_inline_path() -> None:
    program = "import pullback as t; x = t.ones(2, dtype=t.float16); print(t.maximum(x, x).tolist())"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert found.stdout == "[1.0, 1.0]\n", found.stderr
