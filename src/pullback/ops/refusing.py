"""Ops that refuse numbers: an index out of its range, a division of integers by zero, a singular matrix.

Their kernels raise. A program runs them, or checks what they would, even where nobody reads what they give.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.body import Body
from ..core.op import TABLE
from ..core.recorder import Equation, Reference

_WHOLE, _FLOATING = "iu", "fc"

#: By input whose numbers an op may refuse, and NumPy's letters of the kinds of dtypes of which it does.
_BY_INPUT = {
    ("index", _WHOLE):
        "gather gather_sparse index_add index_copy index_fill index_fill_tensor index_reduce index_select "
        "pick place put_places scatter scatter_add scatter_combined scatter_reduce scatter_value take",
    ("where", _WHOLE): "index index_backward index_put",
    ("indices", _WHOLE):
        "add_at_places at_places embedding embedding_backward embedding_bag embedding_bag_adjoint "
        "embedding_bag_max embedding_bag_sparse embedding_renorm embedding_row_factor embedding_sparse "
        "max_unpool_2d max_unpool_3d",
    ("target", _WHOLE):
        "multi_margin_loss multilabel_margin_loss multilabel_margin_slope nll_loss nll_loss2d "
        "nll_loss_backward nll_weights",
    ("offsets", _WHOLE): "embedding_bag_factor",
    ("p", _FLOATING): "drawn_from",
    ("q", _FLOATING): "probabilities",
    ("var", "iufV"): "variances",
    ("targets", _WHOLE): "ctc_loss ctc_loss_slope ctc_rows",
    ("pivots", _WHOLE): "linalg_ldl_solve linalg_lu_solve lu_unpack",
    ("lengths", _WHOLE): "segment_reduce segment_spread",
    ("cost", _FLOATING): "linear_sum_assignment",
    ("mask", "b"): "masked_place masked_scatter",
    ("x", _WHOLE): "bincount classes",
    ("y", _WHOLE): "div_floor div_trunc floor_divide floor_divide_ fmod pow remainder remainder_of_number",
    ("x", _FLOATING):
        "cholesky cholesky_inverse cofactors linalg_cholesky_ex linalg_eig linalg_eigh linalg_eigvals "
        "linalg_eigvalsh linalg_inv_ex linalg_ldl_factor_ex linalg_lu_factor_ex linalg_pinv linalg_solve_ex "
        "linalg_svd linalg_svdvals",
    ("x", "fV"): "binary_cross_entropy",  # checked in the function, where there are numbers
}  # fmt: skip
#: Those that give the numbers which they do not refuse, in C order.
COPYING = frozenset(("classes", "drawn_from", "probabilities", "variances"))
REFUSING: Mapping[str, tuple[str, str]] = {op: what for what, ops in _BY_INPUT.items() for op in ops.split()}


def may_refuse(equation: Equation, dtypes: Sequence[np.dtype[Any]]) -> bool:
    """Return whether the numbers of an equation's operands decide if it raises; `dtypes` are of all."""
    if (found := REFUSING.get(equation.op)) is None:
        return False
    name, kinds = found
    operand = equation.operands[TABLE[equation.op].inputs.index(name)]
    return type(operand) is Reference and dtypes[operand.index].kind in kinds


def stays(equation: Equation, dtypes: Sequence[np.dtype[Any]]) -> bool:
    """Return whether an equation runs unread: it draws, exchanges with other processes, or may raise."""
    return (
        TABLE[equation.op].acts
        or may_refuse(equation, dtypes)
        or any(isinstance(body, Body) and stays_in(body) for body in equation.attrs)
    )


def stays_in(body: Body) -> bool:
    """Return whether an equation of a loop's body stays."""
    return any(stays(equation, body.dtypes) for equation in body.equations)
