"""Define `rearrange`: transposing, splitting and merging axes by a pattern in the notation of einops."""

from __future__ import annotations

import keyword
from math import prod
from typing import Any

from ..array.named_tuples import NamedTuple
from ..core.value import TensorBase, shape_of
from ..core.warn import warn
from ..tensor.namespace import TOP_LEVEL

ELLIPSIS = "…"


class Side(NamedTuple):
    """One side of a pattern: for each axis of the tensor the names that it is made of, or `ELLIPSIS`."""

    axes: list[Any]
    names: set[str]

    @property
    def dots(self) -> bool:
        """Return whether the side has an ellipsis."""
        return ELLIPSIS in self.names


def _words(text: str) -> list[str]:
    """Return names, brackets and ellipses of one side, in order."""
    words = [""]
    for char in text:
        if char in "() ":
            words += [char, ""]
        elif char.isalnum() or char in ("_", ELLIPSIS):
            words[-1] += char
        else:
            raise ValueError(f"Unknown character '{char}'")
    return [word for word in words if word.strip()]


def _check_name(name: str) -> None:
    if not name.isidentifier():
        raise ValueError(f"Invalid axis identifier: {name}\nnot a valid python identifier")
    if name[0] == "_" or name[-1] == "_":
        raise ValueError(
            f"Invalid axis identifier: {name}\naxis name should should not start or end with underscore"
        )
    if keyword.iskeyword(name):
        warn(f"It is discouraged to use axes names that are keywords: {name}", RuntimeWarning)
    if name == "axis":
        warn(
            "It is discouraged to use 'axis' as an axis name and will raise an error in future", FutureWarning
        )


def _side(text: str) -> Side:
    if "." in text:
        if "..." not in text:
            raise ValueError("Expression may contain dots only inside ellipsis (...)")
        if text.count("...") != 1 or text.count(".") != 3:
            raise ValueError(
                "Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor "
            )
        text = text.replace("...", ELLIPSIS)
    side = Side([], set())
    group: list[str] | None = None
    for word in _words(text):
        if word == "(":
            if group is not None:
                raise ValueError("Axis composition is one-level (brackets inside brackets not allowed)")
            group = []
        elif word == ")":
            if group is None:
                raise ValueError("Brackets are not balanced")
            side.axes.append(group)
            group = None
        elif word.isdecimal() and int(word) == 1:
            if group is None:
                side.axes.append([])
        else:
            if word in side.names:
                raise ValueError(f"Indexing expression contains duplicate dimension '{word}'")
            if word.isdecimal() and int(word) < 1:
                raise ValueError(f"Anonymous axis should have positive length, not {int(word)}")
            if word != ELLIPSIS and not word.isdecimal():
                _check_name(word)
            side.names.add(word)
            if group is not None:
                group.append(word)
            else:
                side.axes.append(ELLIPSIS if word == ELLIPSIS else [word])
    if group is not None:
        raise ValueError(f"Imbalanced parentheses in expression: '{text}'")
    return side


def _sides(pattern: str, lengths: dict[str, int]) -> tuple[Side, Side]:
    """Return both sides of a pattern; torch's errors where they do not fit each other."""
    if len(parts := pattern.split("->")) != 2:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = _side(parts[0]), _side(parts[1])
    if right.dots and not left.dots:
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if left.dots and ELLIPSIS not in left.axes:
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    for length in lengths.values():
        if type(length) is not int:
            raise TypeError(f"rearrange axis lengths must be integers, got: {type(length)}")
    if any(name.isdecimal() for name in left.names | right.names):
        raise ValueError("rearrange only supports unnamed axes of size 1")
    if difference := left.names ^ right.names:
        raise ValueError(
            f"Identifiers only on one side of rearrange expression (should be on both): {difference}"
        )
    if unknown := lengths.keys() - left.names:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")
    return left, right


def _check_rank(left: Side, rank: int) -> None:
    if left.dots:
        ones = sum(not axis for axis in left.axes)
        if (wanted := ones + len(left.names) - 1) > rank:
            raise ValueError(
                f"Number of dimensions in pattern ({wanted}) must be less than or equal to the number of "
                f"dimensions in the tensor ({rank})"
            )
    elif len(left.axes) != rank:
        raise ValueError(
            f"Number of dimensions in pattern ({len(left.axes)}) must be equal to the number of dimensions "
            f"in the tensor ({rank})"
        )


class DimensionBindError(Exception):
    """A size does not fit a pattern."""


DimensionBindError.__module__ = "functorch.dim"


def _split(names: list[str], size: int, lengths: dict[str, int], first: int) -> list[int]:
    """Return sizes of the names that one axis is made of; the one without a length gets what remains.

    torch's messages call the names d0, d1, … in order; `first` is the number of the first of these.
    """
    known = prod(lengths[name] for name in names if name in lengths)
    free = [k for k, name in enumerate(names) if name not in lengths]
    if len(free) > 1:
        raise DimensionBindError(
            f"cannot infer the sizes of two dimensions at once d{first + free[0]} and d{first + free[1]}"
        )
    if free and (known == 0 or size % known):
        sizes = tuple(lengths.get(name, "?") for name in names)
        raise DimensionBindError(
            f"inferred dimension does not evenly fit into larger dimension: {size} vs {sizes}"
        )
    if not free and known != size:
        pack = ", ".join(f"d{first + k}" for k in range(len(names))) + ("," if len(names) == 1 else "")
        raise DimensionBindError(
            f"Dimension sizes to do not match ({size} != {known}) when matching dimension pack ({pack})"
        )
    return [lengths[name] if name in lengths else size // known for name in names]


def rearrange(tensor: Any, pattern: str, **axes_lengths: int) -> Any:
    """Transpose, split and merge axes, as in ``rearrange(images, "b h w c -> b (c h) w")``.

    Parameters
    ----------
    tensor : Tensor or sequence of tensors
        Several of one shape are stacked along a new first axis.
    pattern : str
        Names of the axes before and after ``->``. Brackets stand for an axis that is made of several, ``...``
        for any axes, ``1`` or ``()`` for an axis of size 1.
    **axes_lengths : int
        Sizes of names; of those within one bracket on the left, one may do without.

    Returns
    -------
    Tensor
    """
    if not isinstance(tensor, TensorBase):
        tensor = TOP_LEVEL["stack"](tensor)
    shape = shape_of(tensor)
    left, right = _sides(pattern, axes_lengths)
    _check_rank(left, len(shape))
    spread = len(shape) - (len(left.axes) - 1) if left.dots else 0
    names: list[Any] = []
    sizes: list[int] = []
    at = ones = 0
    for axis in left.axes:
        if axis == ELLIPSIS:
            names += [(ELLIPSIS, k) for k in range(spread)]
            sizes += shape[at : at + spread]
            at += spread
            continue
        sizes += _split(axis, shape[at], axes_lengths, len(names) + ones)
        names += axis
        ones += not axis
        at += 1
    size_of = dict(zip(names, sizes, strict=True))
    dots = [(ELLIPSIS, k) for k in range(spread)]
    order: list[Any] = []
    result: list[int] = []
    for axis in right.axes:
        if axis == ELLIPSIS:
            order += dots
            result += [size_of[name] for name in dots]
            continue
        group = [part for name in axis for part in (dots if name == ELLIPSIS else [name])]
        order += group
        result.append(prod(size_of[name] for name in group))
    return tensor.reshape(sizes).permute([names.index(name) for name in order]).reshape(result)
