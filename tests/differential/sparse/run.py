"""Runs an expression on sparse operands and says in a line what it gives, gradients included."""

from __future__ import annotations

import copy
import io
import pickle
import warnings
from typing import Any

from .cases import operands


def outcome(family: str, layout: str, expression: str, torch: Any) -> str:
    """What a case gives under a module, or the class and the text of its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scope = operands(layout, torch)
        try:
            if family == "gradients":
                return _gradients(scope, expression, torch)
            return described(eval(expression, _names(torch), scope), torch)
        except Exception as error:  # noqa: BLE001  # any error is an outcome
            return f"{type(error).__name__}: {_first_part(str(error))}"
        finally:
            torch.sparse.check_sparse_tensor_invariants.disable()


def is_meant(text: str) -> bool:
    """Whether an outcome is torch's answer, and not a check of its own code or a library's that failed."""
    return "INTERNAL ASSERT FAILED" not in text and "MKL error" not in text


def _first_part(text: str) -> str:
    """A text without the backends that torch has been built with, and without where in C it was raised."""
    return text.split(". This could", maxsplit=1)[0].split("\nException raised from", maxsplit=1)[0]


def _names(torch: Any) -> dict[str, Any]:
    def saved(value: Any) -> Any:
        file = io.BytesIO()
        torch.save(value, file)
        file.seek(0)
        return torch.load(file)

    return {"torch": torch, "copy": copy, "pickle": pickle, "saved": saved}


def described(value: Any, torch: Any) -> str:
    """A result as one text: tensors as they print, and what printing leaves out."""
    if isinstance(value, torch.Tensor):
        node = "" if value.grad_fn is None else f" {type(value.grad_fn).__name__}"
        unique = f" {value.is_coalesced()}" if value.layout == torch.sparse_coo else ""
        plain = value.detach()
        return f"{plain!r} {value.dtype}{unique}{node}"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}[{'; '.join(described(item, torch) for item in value)}]"
    return repr(value).split(" at 0x")[0]


def _gradients(scope: dict[str, Any], expression: str, torch: Any) -> str:
    leaves = {name: scope[name].requires_grad_() for name in ("s", "y", "v", "m", "w")}
    if "made" in expression:
        s = scope["s"].detach()
        parts = scope["parts"] = (s._values() if s.layout == torch.sparse_coo else s.values()).clone()
        leaves["parts"] = parts.requires_grad_()
        if s.layout == torch.sparse_coo:
            scope["made"] = torch.sparse_coo_tensor(s._indices(), parts, s.shape)
        else:
            rows = s.layout in (torch.sparse_csr, torch.sparse_bsr)
            begin, places = ("crow", "col") if rows else ("ccol", "row")
            scope["made"] = torch.sparse_compressed_tensor(
                getattr(s, f"{begin}_indices")(), getattr(s, f"{places}_indices")(), parts, s.shape,
                layout=s.layout,
            )
    result = eval(expression, _names(torch), scope)
    found = [described(result, torch)]
    weights = torch.arange(1.0, result.numel() + 1, dtype=result.dtype).view(result.shape)
    try:
        (result * weights).sum().backward()
    except Exception as error:  # noqa: BLE001  # any error is an outcome
        found.append(f"{type(error).__name__}: {_first_part(str(error))}")
    for name, leaf in leaves.items():
        if leaf.grad is not None:
            found.append(f"{name}: {described(leaf.grad, torch)}")
    return "\n".join(found)
