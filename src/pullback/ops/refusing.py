"""Ops that refuse numbers: an index out of its range, a division of integers by zero, a singular matrix.

Their kernels raise. A program runs them, or checks what they would, even where nobody reads what they give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.body import Body
from ..core.op import TABLE
from ..core.recorder import Equation, Reference

_WHOLE, _FLOATING = "iu", "fc"

#: By op: the input whose numbers it may refuse, and NumPy's letters of the kinds of dtypes of which it does.
REFUSING: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(
        ("gather", "gather_sparse", "index_add", "index_copy", "index_fill", "index_fill_tensor",
         "index_reduce", "index_select", "pick", "place", "put_places", "scatter", "scatter_add",
         "scatter_combined", "scatter_reduce", "scatter_value", "take"),
        ("index", _WHOLE),
    ),
    **dict.fromkeys(("index", "index_backward", "index_put"), ("where", _WHOLE)),
    **dict.fromkeys(
        ("add_at_places", "at_places", "embedding", "embedding_backward", "embedding_bag",
         "embedding_bag_adjoint", "embedding_bag_max", "embedding_bag_sparse", "embedding_renorm",
         "embedding_row_factor", "embedding_sparse", "max_unpool_2d", "max_unpool_3d"),
        ("indices", _WHOLE),
    ),
    **dict.fromkeys(
        ("multi_margin_loss", "multilabel_margin_loss", "multilabel_margin_slope", "nll_loss", "nll_loss2d",
         "nll_loss_backward", "nll_weights"),
        ("target", _WHOLE),
    ),
    "embedding_bag_factor": ("offsets", _WHOLE),
    "drawn_from": ("p", _FLOATING),
    "probabilities": ("q", _FLOATING),
    **dict.fromkeys(("ctc_loss", "ctc_loss_slope", "ctc_rows"), ("targets", _WHOLE)),
    **dict.fromkeys(("linalg_ldl_solve", "linalg_lu_solve", "lu_unpack"), ("pivots", _WHOLE)),
    **dict.fromkeys(("segment_reduce", "segment_spread"), ("lengths", _WHOLE)),
    **dict.fromkeys(("masked_place", "masked_scatter"), ("mask", "b")),
    **dict.fromkeys(("bincount", "classes"), ("x", _WHOLE)),
    **dict.fromkeys(
        ("div_floor", "div_trunc", "floor_divide", "floor_divide_", "fmod", "pow", "remainder",
         "remainder_of_number"),
        ("y", _WHOLE),
    ),
    **dict.fromkeys(
        ("cholesky", "cholesky_inverse", "cofactors", "linalg_cholesky_ex", "linalg_eig", "linalg_eigh",
         "linalg_inv_ex", "linalg_ldl_factor_ex", "linalg_lu_factor_ex", "linalg_pinv", "linalg_solve_ex",
         "linalg_svd"),
        ("x", _FLOATING),
    ),
    # Checked in the function, where there are numbers.
    "binary_cross_entropy": ("x", "fV"),
}  # fmt: skip


def may_refuse(equation: Equation, dtypes: Sequence[np.dtype[Any]]) -> bool:
    """Return whether the numbers of an equation's operands decide if it raises.

    Parameters
    ----------
    equation : Equation
    dtypes : sequence of dtype
        Of the program's values, by number.
    """
    found = REFUSING.get(equation.op)
    if found is None:
        return False
    name, kinds = found
    operand = equation.operands[TABLE[equation.op].inputs.index(name)]
    return type(operand) is Reference and dtypes[operand.index].kind in kinds


def stays(equation: Equation, dtypes: Sequence[np.dtype[Any]]) -> bool:
    """Return whether a program runs an equation though nobody reads its results: it draws random numbers,
    exchanges them between processes, or may raise.
    """
    return (
        TABLE[equation.op].acts
        or may_refuse(equation, dtypes)
        or any(isinstance(body, Body) and stays_in(body) for body in equation.attrs)
    )


def stays_in(body: Body) -> bool:
    """Return whether an equation of a loop's body stays."""
    return any(stays(equation, body.dtypes) for equation in body.equations)
