"""torch.onnx: programs import it beside what they train; exporting is not part of pullback and says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ...errors import with_note

__all__ = ["export", "is_in_onnx_export", "register_custom_op_symbolic", "unregister_custom_op_symbolic"]


def is_in_onnx_export() -> bool:
    """Return whether a model is being exported: never."""
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


def register_custom_op_symbolic(
    symbolic_name: str, symbolic_fn: Callable[..., Any], opset_version: int
) -> None:
    """Take how an op of a library would be exported, which nobody asks for."""


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Forget it."""
