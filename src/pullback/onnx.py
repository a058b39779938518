"""torch.onnx: programs import it beside what they train; exporting is not part of pullback and says so."""

from __future__ import annotations

from typing import Any, NoReturn

from .errors import with_note

__all__ = ["export", "is_in_onnx_export"]


def is_in_onnx_export() -> bool:
    """Whether a model is being exported: never."""
    return False


def export(*args: Any, **kwargs: Any) -> NoReturn:
    """Refuse to write a model as an ONNX file.

    Raises
    ------
    NotImplementedError
        Always.
    """
    raise with_note(
        NotImplementedError("torch.onnx.export: pullback does not write ONNX files"),
        "Save the weights with torch.save, load them into the model under torch, and export there.",
    )
