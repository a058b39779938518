"""Record what torch says of functions that sparse tensors of a layout do not have.

``python -m tools.record_sparse_refusals`` calls every public function with a sparse tensor in each layout and
arguments that its parser takes, and writes ``src/pullback/tensor/sparse_refusals.json``: by layout, the
operator that torch's dispatcher misses or the whole text, and the functions that say it. What only misses the
operator of its own name is left out.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pullback.tensor.sparse_refusals import MISSING, no_kernel

TARGET = Path(__file__).parents[1] / "src" / "pullback" / "tensor" / "sparse_refusals.json"
LAYOUTS = ("coo", "csr", "csc", "bsr", "bsc")
#: What would stop the program, or waits.
LEFT_OUT = re.compile(r"^(_|share_memory|backward|register_|module_load|set_|pin_memory|record_stream|from_)")
#: What errors call the layouts, by whether it is that of coordinates.
BACKENDS = {True: "SparseCPU", False: "SparseCsrCPU"}
#: How the errors begin that say that a layout has no such function.
REFUSAL = re.compile(
    r"Could not run|unsupported tensor layout|Sparse \w+ tensors do not have|.*is not (supported|implemented)"
    r"|.*not support|.*no view exists|.*only supports strided|.*sparse|Cannot access|.*unsupported"
)


def names(torch: Any) -> Iterator[tuple[str, Any]]:
    """Every public function that takes a tensor first, by the name that it says it has."""
    for place in (torch.Tensor, torch, torch.nn.functional, torch.linalg, torch.special, torch.fft):
        for name in dir(place):
            function = getattr(place, name, None)
            if not LEFT_OUT.match(name) and callable(function) and not isinstance(function, type):
                yield getattr(function, "__name__", name), function


def attempts(torch: Any, x: Any, other: Any) -> list[tuple[Any, ...]]:
    """Arguments behind the tensor, the likeliest first."""
    index, mask = torch.tensor([0, 2]), torch.ones(4, 6) > 0
    dense = torch.ones(4, 6)
    return [
        (), (other,), (2.0,), (1,), (0, 1), (other, other), (dense,), (0, index), (dense, dense), ((4, 6),),
        (2,), (index,), (mask,), (mask, 1.0), (0, index, 1.0), (0, index, dense), (0, 0, 2), (1.0, 0.0),
        (other, 0.5), (dense.t(), dense.t()), ((0, 1), (1, 0)), ((2, 12),), (torch.ones(6),), ((1, 1),),
        (dense, other), (torch.ones(1),), ("ij,jk", other), (torch.ones(3, 4, 6),),
    ]  # fmt: skip


#: What stands for the words of a layout where the compressed ones say the same.
WORDS = {"csr": ("SparseCsr", "CSR"), "csc": ("SparseCsc", "CSC"), "bsr": ("SparseBsr", "BSR"),
         "bsc": ("SparseBsc", "BSC")}  # fmt: skip


def kind(args: tuple[Any, ...]) -> str:
    """What tells apart the operators behind one function: whether a number comes next, or a tensor."""
    if not args:
        return ""
    return "number" if isinstance(args[0], (int, float)) else "tensor"


def refusals(torch: Any, function: Any, layout: str) -> dict[str, str]:
    """What torch says of a function by the kind of arguments; nothing where it takes the layout."""
    options = {"blocksize": (2, 2)} if layout.startswith("b") else {}
    found: dict[str, str] = {}
    for number in range(len(attempts(torch, None, None))):
        x = (torch.arange(24.0).view(4, 6) % 3).to_sparse(
            layout=getattr(torch, f"sparse_{layout}"), **options
        )
        args = attempts(torch, x, x.clone())[number]
        if kind(args) in found:
            continue
        try:
            function(x, *args)
        except TypeError:
            continue
        except (RuntimeError, NotImplementedError, ValueError, IndexError) as error:
            text = str(error).split(". This could")[0].split("\nException raised")[0]
            if REFUSAL.match(text) and "INTERNAL ASSERT" not in text and len(text) < 300:
                found[kind(args)] = f"{type(error).__name__}: {text}"
        except Exception:  # noqa: BLE001  # no refusal
            continue
        else:
            found[kind(args)] = ""
    return {kind: text for kind, text in found.items() if text}


def main() -> None:
    import torch

    warnings.simplefilter("ignore")
    table: dict[str, dict[str, list[str]]] = {}
    seen: set[str] = set()
    for name, function in names(torch):
        if name in seen:
            continue
        texts = {layout: refusals(torch, function, layout) for layout in LAYOUTS}
        seen.add(name)
        for which in ("", "number", "tensor"):
            said = {layout: found[which] for layout, found in texts.items() if which in found}
            shared = {_general(text, layout) for layout, text in said.items() if layout != "coo"}
            if len(shared) == 1 and len(said) >= 4:
                said = {"coo": said["coo"]} if "coo" in said else {}
                said["compressed"] = shared.pop()
            for layout, text in said.items():
                table.setdefault(layout, {}).setdefault(text, []).append(f"{name} {which}".strip())
    joined = {
        layout: {text: ", ".join(found) for text, found in sorted(texts.items())}
        for layout, texts in told(table).items()
    }
    TARGET.write_text(json.dumps(joined, indent=1) + "\n", "utf-8")


def told(table: dict[str, dict[str, list[str]]]) -> dict[str, dict[str, list[str]]]:
    """The record without functions of which nothing is said but that an op of their name has no kernel."""
    said: dict[tuple[bool, str], set[str]] = {}
    for layout, texts in table.items():
        for text, found in texts.items():
            for name in found:
                said.setdefault((layout == "coo", name.split()[0]), set()).add(text)
    plain = {
        (coo, name) for (coo, name), texts in said.items()
        if texts == {f"NotImplementedError: {str(no_kernel(name, BACKENDS[coo])).removesuffix(MISSING)}"}
    }
    kept = {
        layout: {
            text: sorted(name for name in found if (layout == "coo", name.split()[0]) not in plain)
            for text, found in texts.items()
        }
        for layout, texts in table.items()
    }
    return {layout: {text: found for text, found in texts.items() if found} for layout, texts in kept.items()}


def _general(text: str, layout: str) -> str:
    title, short = WORDS[layout]
    return text.replace(f"{title}CPU", "\0").replace(title, "{title}").replace(short, "{short}").replace(
        "\0", f"{title}CPU"
    )


if __name__ == "__main__":
    main()
