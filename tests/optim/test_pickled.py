"""Optimizers are pickled whole, with their state, though their modules have torch's names."""

from __future__ import annotations

import io
import pickle
import zipfile

import pullback as torch


def trained() -> torch.optim.Optimizer:
    parameter = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.Adam([parameter], lr=0.5)
    parameter.grad = torch.ones(2)
    optimizer.step()
    return optimizer


def test_pickled() -> None:
    optimizer = trained()
    again = pickle.loads(pickle.dumps(optimizer))
    assert type(again) is torch.optim.Adam
    assert again.param_groups[0]["lr"] == 0.5
    parameter = again.param_groups[0]["params"][0]
    assert list(again.state) == [parameter]
    assert again.state[parameter]["step"].item() == 1


def test_a_file_names_torchs_class() -> None:
    for saved, module, kind in (
        (trained(), b"torch.optim.adam", torch.optim.Adam),
        (
            torch.optim.lr_scheduler.StepLR(trained(), 2), b"torch.optim.lr_scheduler\nStepLR",
            torch.optim.lr_scheduler.StepLR,
        ),
    ):  # fmt: skip
        _check_file(saved, module, kind)


def _check_file(saved: object, module: bytes, kind: type) -> None:
    file = io.BytesIO()
    torch.save(saved, file)
    with zipfile.ZipFile(file) as archive:
        written = archive.read(next(name for name in archive.namelist() if name.endswith("data.pkl")))
    assert module in written
    assert b"pullback" not in written
    file.seek(0)
    assert type(torch.load(file, weights_only=False)) is kind
