"""Train the LeNet of examples/digits.py for two epochs under torch, for examples/torch_checkpoint.py to load.

Run with a Python that has torch, from the project's root: ``python -m tools.make_torch_checkpoint``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

EXAMPLES = Path(__file__).parents[1] / "examples"


def main() -> None:
    """Write examples/digits_torch.pt."""
    sys.path.insert(0, str(EXAMPLES))
    from digits import HELD_OUT, LeNet, load, train  # type: ignore[import-not-found]  # on the path just set

    torch.manual_seed(0)
    images, labels = load()
    rest = torch.randperm(len(images))[HELD_OUT:]
    model = LeNet()
    train(model, images[rest], labels[rest], 2, None)
    torch.save(model.state_dict(), EXAMPLES / "digits_torch.pt")


if __name__ == "__main__":
    main()
