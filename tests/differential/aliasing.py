"""Which results share memory with what they were made of: ops in which that hangs on their arguments.

A call, a line of ``aliasing.txt``, is an expression in `x` (and `torch`, `F`); `LAYOUTS` says what `x` is.
Arguments are mostly those with which an op has nothing to do: where it gives its input back, where a view of
it and where a copy differs from op to op. `python -m tests.differential.aliasing` records what torch answers.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.recorded import save

#: What `x` is.
LAYOUTS = {
    "matrix": "torch.arange(6.).reshape(2, 3)",
    "transposed": "torch.arange(6.).reshape(3, 2).t()",
    "sliced": "torch.arange(12.).reshape(4, 3)[::2]",
    "expanded": "torch.arange(3.).expand(2, 3)",
    "vector": "torch.arange(3.)",
    "scalar": "torch.tensor(2.)",
    "one": "torch.ones(1)",
    "thin": "torch.arange(3.).reshape(1, 3, 1)",
    "images": "torch.arange(16.).reshape(1, 4, 2, 2)",
    "channels last": "torch.arange(16.).reshape(1, 4, 2, 2).to(memory_format=torch.channels_last)",
    "empty": "torch.empty(0, 3)",
    "integers": "torch.arange(6).reshape(2, 3)",
    "flags": "torch.tensor([True, False, True])",
    "complex": "torch.arange(6.).reshape(2, 3) + 1j",
    "conjugate": "(torch.arange(6.).reshape(2, 3) + 1j).conj()",
    "double": "torch.arange(6., dtype=torch.float64).reshape(2, 3)",
    "leaf": "torch.ones(2, 3, requires_grad=True)",
}

def calls() -> Iterator[tuple[str, str]]:
    """(layout, call) pairs."""
    lines = Path(__file__).with_suffix(".txt").read_text().splitlines()
    return ((layout, call) for call in lines for layout in LAYOUTS)


def answer(layout: str, call: str, torch: Any) -> str:
    """Say of each tensor that a call gives how it relates to `x`; of an error only that there is one."""
    torch.manual_seed(0)
    names = {"torch": torch, "F": torch.nn.functional}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = eval(LAYOUTS[layout], names)
        before = x.untyped_storage().data_ptr()
        try:
            result = eval(call, {**names, "x": x})
        except Exception:  # noqa: BLE001  # texts of errors are other tests' matter
            return "error"
    found = (t for t in torch.utils._pytree.tree_leaves(result) if isinstance(t, torch.Tensor))
    return " ".join(_relation(t, x, before) for t in found)


def _relation(t: Any, x: Any, before: int) -> str:
    if t is x:
        return "itself"
    view = "view" if t._is_view() else "whole"
    if not t.numel() or not x.numel():
        return f"empty {view}"
    return f"{'shared' if t.untyped_storage().data_ptr() == before else 'new'} {view}"


def main() -> None:
    """Record what torch answers."""
    import torch

    record: dict[str, dict[str, str]] = {}
    for layout, call in calls():
        record.setdefault(call, {})[layout] = answer(layout, call, torch)
    save("aliasing", {call: by_answer(answers) for call, answers in record.items()})


def by_answer(answers: dict[str, str]) -> dict[str, str]:
    """Answers with the layouts that have them: the record in a tenth of the lines."""
    found: dict[str, list[str]] = {}
    for layout, text in answers.items():
        found.setdefault(text, []).append(layout)
    return {text: ", ".join(layouts) for text, layouts in found.items()}


if __name__ == "__main__":
    main()
