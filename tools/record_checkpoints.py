"""Record checkpoints that torch writes as tests/data/checkpoints/*.

Run with a Python that has torch, from the project's root: ``python -m tools.record_checkpoints``.
"""

from __future__ import annotations

import torch
from tests.recorded import DATA, save
from tests.serialization.contents import content, described


def main() -> None:
    folder = DATA / "checkpoints"
    folder.mkdir(exist_ok=True)
    torch.save(content(torch), folder / "archive.pt")
    torch.save(content(torch), folder / "rows.pt", _use_new_zipfile_serialization=False)
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.Flatten(), torch.nn.Linear(8, 3)
    )
    torch.save(model, folder / "model.pt")
    optimizer = torch.optim.Adam(model.parameters())
    x = torch.arange(32.0).reshape(2, 1, 4, 4)
    model(x).sum().backward()
    optimizer.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, folder / "training.pt")
    save(
        "checkpoints",
        {"content": described(content(torch)), "model": model.eval()(x).tolist()},
    )


if __name__ == "__main__":
    main()
