"""Say what a Jacobian looks like: read off its numbers where it was built, else off the kinds of the
ops on the way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy import ndarray

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
    """Return the structure of a product of Jacobians.

    Parameters
    ----------
    structures : iterable of str
        Of the links.
    same_shape : bool
        Whether input and output of the whole have one shape.
    """
    worst = max((_ORDER.index(s) if s in _ORDER else len(_ORDER) - 1 for s in structures), default=0)
    found = _ORDER[worst]
    if found == "diagonal" and not same_shape:
        return "scaled selection"
    return found
