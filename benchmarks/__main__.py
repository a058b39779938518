"""Entry point of ``python -m benchmarks``."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    # Not above: a worker imports this file under another name, and must load its peer before NumPy.
    from benchmarks.run import main

    sys.exit(main())
