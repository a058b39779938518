"""torch.onnx can be imported, and refuses to export."""

from __future__ import annotations

import pytest

import pullback as torch


def test_export_is_refused() -> None:
    assert not torch.onnx.is_in_onnx_export()
    with pytest.raises(NotImplementedError, match="does not write ONNX files"):
        torch.onnx.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),), "model.onnx")
