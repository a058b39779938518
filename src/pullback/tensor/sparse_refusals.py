"""Say what torch says of a function that a sparse layout does not have, as recorded.

`sparse_refusals.json`, which ``tools/record_sparse_refusals.py`` writes, has for each layout the texts and
the functions that say them; those of which the operator depends on the next argument have its kind. Other
functions miss the operator of their own name.
"""

import builtins
from collections.abc import Iterable
from functools import cache
from typing import Any

from ..core.value import TensorBase
from .schemas import recorded


@cache
def _texts() -> dict[str, dict[str, str]]:
    table = recorded("sparse_refusals.json")
    return {
        layout: {name: text for text, names in texts.items() for name in names.split(", ")}
        for layout, texts in table.items()
    }


def refusal(name: str, short: str, args: tuple[Any, ...], named: Iterable[Any] = ()) -> Exception:
    """Build torch's error for a function without a form for a layout `short`, such as "csr", from what it was
    called with, `named` by keyword.
    """
    title = f"Sparse{short.capitalize()}" if short != "coo" else "Sparse"
    backend = "SparseCPU" if short == "coo" else "SparseCsrCPU"
    rest = [a for a in (*args[1:], *named)[:1] if isinstance(a, (TensorBase, int, float))]
    kind = "" if not rest else " tensor" if isinstance(rest[0], TensorBase) else " number"
    for layout in (short,) if short == "coo" else (short, "compressed"):
        texts = _texts().get(layout, {})
        for which in (kind, "", " tensor", " number"):
            if (said := texts.get(f"{name}{which}")) is not None:
                error, _, text = said.partition(": ")
                text = text.replace("{title}", title).replace("{short}", short.upper())
                text += MISSING if "Could not run" in text else ""
                found: Exception = getattr(builtins, error)(text)
                return found
    return no_kernel(name, backend)


def no_kernel(name: str, backend: str) -> NotImplementedError:
    """Build torch's error for an op that a backend does not have."""
    return NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the '{backend}' backend{MISSING}"
    )


#: How torch goes on where its dispatcher has no kernel.
MISSING = (
    ". This could be because the operator doesn't exist for this backend, or was omitted during the "
    "selective/custom build process (if using custom build)."
)
