"""`python -m pullback`: see `pullback.runner`."""

from __future__ import annotations

import sys

from pullback.runner import main

if __name__ == "__main__":
    main(sys.argv[1:])
