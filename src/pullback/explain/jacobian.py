"""Compute Jacobians in numbers: rows for all elements of an output at once, one row, one column.

A batch of covectors, the rows of the identity, goes through the graph in one pass, as under vmap. A graph
with a rule that cannot be batched (a custom function whose code looks at values) is gone through row by row.
`Cost` says where none of that is worth its time or place. What a Jacobian looks like is read off its numbers
where it was built, else off the kinds of the ops on the way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.calls import edge_of
from ..core.modes import change, set_modes
from ..core.node import LEAF
from ..core.value import innermost, wrap
from .walk import Path, size_of

#: Of an op's own Jacobian, by its kind.
BY_KIND = {
    "elementwise": "diagonal", "view": "selection", "gather": "selection", "linear": "linear",
    "reduce": "sum", "bilinear": "dense", "opaque": "dense",
}  # fmt: skip

#: Of nodes that belong to no op.
BY_NAME = {"CopySlices": "selection", "AsStridedBackward0": "selection"}

#: In words, for texts.
IN_WORDS = {
    "zero": "all zero",
    "scalar": "one number",
    "identity": "the identity: each element passes through",
    "diagonal": "diagonal: each output element depends on its own input element",
    "selection": "a selection: each output element is one input element",
    "scaled selection": "each output element depends on one input element",
    "sum": "a sum: every input element counts once",
    "linear": "linear",
    "sparse": "mostly zeros",
    "dense": "dense",
}

#: From the simplest to the one that says least: a chain is as complicated as its worst link.
_ORDER = ("identity", "selection", "diagonal", "scaled selection", "sum", "linear", "dense")


def of_numbers(jacobian: ndarray, out_shape: Sequence[int], in_shape: Sequence[int]) -> str:
    """Return the structure of a Jacobian of shape ``(*out_shape, *in_shape)``."""
    rows, columns = math.prod(out_shape), math.prod(in_shape)
    matrix = jacobian.reshape(rows, columns)
    nonzero = matrix != 0
    if not nonzero.any():
        return "zero"
    if rows == columns == 1:
        return "scalar"
    if rows == columns and not (nonzero & ~np.eye(rows, dtype=bool)).any():
        return "identity" if bool((np.diagonal(matrix) == 1).all()) else "diagonal"
    if rows > 1 and bool((nonzero.sum(1) <= 1).all()):
        return "selection" if bool((matrix[nonzero] == 1).all()) else "scaled selection"
    if rows == 1 and bool((matrix == 1).all()):
        return "sum"
    if rows * columns >= 16 and nonzero.mean() <= 0.25:
        return "sparse"
    return "dense"


def of_chain(structures: Iterable[str], same_shape: bool) -> str:
    """Return the structure of a product of Jacobians; `same_shape`: of input and output of the whole."""
    worst = max((_ORDER.index(s) if s in _ORDER else len(_ORDER) - 1 for s in structures), default=0)
    found = _ORDER[worst]
    if found == "diagonal" and not same_shape:
        return "scaled selection"
    return found


#: Rows of the largest Jacobian that is built, its elements, and the elements that all covectors on the way
#: may have together.
MOST_ROWS = 256
MOST_ELEMENTS = 100_000
MOST_WORK = 8_000_000

#: Rows up to which a graph that cannot be batched is gone through.
MOST_SINGLE_ROWS = 32


@dataclass(frozen=True)
class Cost:
    """Estimate the work and memory of J of one output by all leaves."""

    rows: int
    elements: int
    work: int

    @classmethod
    def of(cls, path: Path, rows: int, columns: int) -> Cost:
        """Count for a Jacobian with that many rows and columns, through all nodes of a path."""
        return cls(rows, rows * columns, rows * size_of(path.nodes))

    def refusal(self) -> str | None:
        """Return why the Jacobian is not built; None where it is."""
        if self.rows <= 1:
            return None
        if self.rows > MOST_ROWS or self.elements > MOST_ELEMENTS:
            return f"with all leaves J would have {self.rows:,} rows and {self.elements:,} elements"
        if self.work > MOST_WORK:
            return f"building J would move {self.work:,} numbers through the graph"
        return None


def rows_of(
    path: Path, output: int, rows: ndarray, singly: bool = False
) -> tuple[list[ndarray | None], str | None]:
    """Pull each of the covectors `rows` (along the first axis) of one output back, all at once or `singly`.

    Returns what arrives at each target, the rows first, and why some are missing.
    """
    if len(rows) == 1:
        return [None if r is None else r[None] for r in single(path, output, rows[0])], None
    try:
        if not singly:
            return path.pull_batch(output, rows), None
    except Exception as error:  # noqa: BLE001  # the backward of a custom function may raise anything
        if len(rows) > MOST_SINGLE_ROWS:
            return (
                [None] * len(path.targets),
                f"a rule on the way cannot run on a batch ({type(error).__name__}: {error})",
            )
    singles = [single(path, output, row) for row in rows]
    if not singles:
        return [None] * len(path.targets), "there are no rows"
    found: list[ndarray | None] = []
    for column in zip(*singles):
        like = next((value for value in column if value is not None), None)
        known = None if like is None else [np.zeros_like(like) if v is None else v for v in column]
        found.append(None if known is None else np.stack(known))
    return found, None


def single(path: Path, output: int, row: ndarray) -> list[ndarray | None]:
    """Pull one covector of one output back."""
    covectors: list[Any] = [None] * len(path.roots)
    covectors[output] = np.asarray(row)
    return [None if r is None else np.asarray(innermost(r)) for r in path.pull(covectors)]


def column_of(
    path: Path, output: int, shape: tuple[int, ...], dtype: Any, target: int, index: Any
) -> ndarray:
    """Return one column of J: how the output's elements vary with one element of a target.

    The pullback is linear in its covector, so the column is the derivative of one element of ``vᵀ·J`` by v:
    the pullback runs once, recorded, and is itself pulled back.
    """
    v = wrap(np.zeros(shape, dtype), LEAF)
    before = change(grad=True)
    try:
        covectors: list[Any] = [None] * len(path.roots)
        covectors[output] = v
        arrived = path.pull(covectors, recorded=True)[target]
    finally:
        set_modes(before)
    if arrived is None or arrived._node is None:
        return np.zeros(shape, dtype)
    seed = np.zeros(arrived.shape, innermost(arrived).dtype)
    seed[index] = 1
    back = Path([(edge_of(arrived), seed)], [edge_of(v)])
    try:
        (found,) = back.pull([seed])
    except RuntimeError as error:
        error.add_note(
            "A column of J takes a second derivative on the way, which this op has not; rows do not."
        )
        raise
    return np.zeros(shape, dtype) if found is None else np.asarray(found)
