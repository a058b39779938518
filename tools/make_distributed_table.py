"""Write the list of torch.distributed's names in docs/distributed.md: what works, and what is missing.

Run after names were added, from the project's root: ``python -m tools.make_distributed_table``.
"""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import Any

from tests.recorded import load

PAGE = Path(__file__).parents[1] / "docs" / "distributed.md"
START = "\n| module | works | refuses | missing |\n"

#: What a name that works does otherwise than torch's, or not.
LIMITS = {
    "torch.distributed.P2POp": "messages of a batch go one by one",
    "torch.distributed.ReduceOp": "`PREMUL_SUM` is NCCL's",
    "torch.distributed.all_reduce": "sparse tensors are added at once, also with `async_op`",
    "torch.distributed.init_process_group": "one world in the life of a process",
    "torch.distributed.pipelining.pipeline": "the model is traced by `torch.fx`, not exported",
    "torch.distributed.run": "the number of machines is fixed at the start; `--standalone` needs no etcd",
}


def place(module: str) -> Any:
    """The module of pullback that stands for one of torch's; None where there is none."""
    try:
        return importlib.import_module(module.replace("torch", "pullback", 1))
    except ImportError:
        return None


def refuses(value: Any) -> bool:
    """Whether a function or class is there for its name alone: every use is an error."""
    makers = [value, getattr(value, "__init__", None), getattr(value, "__new__", None)]
    return any(
        one.__code__.co_filename.endswith("absent_devices.py")
        or "NoReturn" in str(one.__annotations__.get("return", ""))
        for one in makers
        if inspect.isfunction(one)
    )


def listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "–"


def table() -> str:
    """The list: a row for each module."""
    declared: dict[str, list[str]] = load("public_modules")
    modules = [module for module in declared if f"{module}.".startswith("torch.distributed.")]
    rows, absent = [], []
    for module in sorted(modules):
        there = declared[module]
        ours = place(module)
        if ours is None:
            absent.append(module)
            continue
        refused = [name for name in there if hasattr(ours, name) and refuses(getattr(ours, name))]
        missing = [name for name in there if not hasattr(ours, name)]
        works = [name for name in there if name not in refused and name not in missing]
        rows.append(f"| `{module}` | {listed(works)} | {listed(refused)} | {listed(missing)} |")
    lines = [START[1:-1], "|---|---|---|---|", *rows, ""]
    lines += [f"Whole modules that are missing: {listed(absent)}", ""]
    lines += ["Limits of what works:", "", *(f"- `{name}`: {text}." for name, text in LIMITS.items())]
    return "\n".join(lines) + "\n"


def page() -> str:
    """The text of the page, its list made anew."""
    text = PAGE.read_text(encoding="utf-8")
    return text.partition(START)[0].rstrip() + "\n\n" + table()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
