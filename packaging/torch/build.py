"""Build the wheel named `torch` that gives pullback to libraries that need torch.

    python packaging/torch/build.py [FOLDER]

The wheel is written into the folder, `dist` if none is named; it needs the pullback that builds it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pullback.command.torch_wheel import WHEEL, wheel


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "dist")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / WHEEL).write_bytes(wheel())
    print(folder / WHEEL)


if __name__ == "__main__":
    main()
