"""torch.utils.flop_counter: how many multiplications and additions the products of a program take."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from ..core.modes import change
from ..core.value import TensorBase, shape_of
from ..tensor.interception import activate, deactivate


def _inner(args: tuple[Any, ...], out: Any, operand: int = 0) -> int:
    """Return 2·(size of the result)·(length of the sums): that of the last axis of an operand."""
    return 2 * math.prod(shape_of(out)) * shape_of(args[operand])[-1]


def _convolution(args: tuple[Any, ...], out: Any) -> int:
    return 2 * math.prod(shape_of(out)) * math.prod(shape_of(args[1])[1:])


def _transposed(args: tuple[Any, ...], out: Any) -> int:
    return 2 * math.prod(shape_of(args[0])) * math.prod(shape_of(args[1])[1:])


#: Function → what it is counted as, and how.
_COUNTED: dict[str, tuple[str, Callable[[tuple[Any, ...], Any], int]]] = {
    **{name: (name, _inner) for name in ("mm", "bmm", "mv", "dot")},
    "matmul": ("mm", _inner),
    "linear": ("addmm", _inner),
    **{name: (name, partial(_inner, operand=1)) for name in ("addmm", "baddbmm", "addmv")},
    **{f"conv{n}d": ("convolution", _convolution) for n in (1, 2, 3)},
    **{f"conv_transpose{n}d": ("convolution", _transposed) for n in (1, 2, 3)},
}


class FlopCounterMode:
    """Count, inside its ``with`` block, the operations of matrix products and convolutions.

    A function is counted when it is called; what is pulled back through it, which takes twice as many, is
    not.

    Parameters
    ----------
    mods, depth, custom_mapping
        Taken for torch's sake; counts are not told apart by module.
    display : bool
        Whether to print the table at the end.
    """

    def __init__(
        self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: Any = None
    ) -> None:
        self.display = display
        self._counts: Counter[str] = Counter()
        self._before: Any = None

    def __enter__(self) -> FlopCounterMode:
        self._counts.clear()
        activate()
        self._before = change(watcher=self._call).watcher
        return self

    def __exit__(self, *_: object) -> None:
        change(watcher=self._before)
        deactivate()
        if self.display:
            import sys

            sys.stdout.write(self.get_table() + "\n")

    def _call(
        self, label: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        out = function(*args, **kwargs)
        if label in _COUNTED and isinstance(out, TensorBase) and shape_of(args[0]):
            name, count = _COUNTED[label]
            self._counts[f"aten.{name}"] += count((*args, *kwargs.values()), out)
        return out

    def get_total_flops(self) -> int:
        """Return all operations."""
        return sum(self._counts.values())

    def get_flop_counts(self) -> dict[str, dict[str, int]]:
        """Return the operations of each kind of product, under ``'Global'``."""
        return {"Global": dict(self._counts)}

    def get_table(self, depth: int | None = None) -> str:
        """Return the counts as text, a line for each kind."""
        total = self.get_total_flops()
        rows = [("Global", total), *((f" - {name}", n) for name, n in self._counts.items())]
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name.ljust(width)}  {n:>14,}  {n / max(total, 1):7.2%}" for name, n in rows)


__all__ = ["FlopCounterMode"]
