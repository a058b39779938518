"""Complex twins of rows: for ops that torch takes complex inputs in, the first row with floats once more with
imaginary parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from . import Sample

#: Ops of torch's (and their variants here) whose gradient exists for complex inputs too.
_NAMES = """
    add_at_places add_scaled addbmm addcdiv addcmul addmm addmm_nt addmm_tn addmm_tt addmv addr alias
    alias_copy as_strided as_strided_ as_strided_copy as_strided_scatter at_places baddbmm block_diag bmm
    channel_shuffle cholesky cholesky_solve circular_pad clone col2im constant_pad_nd contiguous_copy
    conv_biased conv_tbc conv_transpose conv_transpose_biased conv_weight copy copy_of diag_embed
    diagonal_backward diagonal_copy diagonal_scatter dist eq eq_number eq_tensor expand expand_copy expm1
    fill fill_inplace fill_tensor fill_tensor_inplace flip im2col index_add index_backward index_copy
    index_fill index_fill_tensor index_put isfinite isinf isnan lay_out ldexp lerp lerp_tensor
    linalg_cholesky_ex linalg_cross linalg_eig linalg_eigh linalg_eigvalsh linalg_ldl_solve
    linalg_solve_triangular linalg_svd linalg_svdvals linear linear_folded log1p logical_not lu_unpack
    masked_fill masked_place masked_scatter masked_select mean_all mm_folded mm_nt mul_number narrow_copy
    ne ne_number ne_tensor neg norm_dims pad_adjoint permute permute_copy pixel_shuffle pixel_unshuffle
    place pow pow_scalar prod_all put put_places reflection_pad1d reflection_pad2d reflection_pad3d repeat
    replication_pad1d replication_pad2d replication_pad3d reshape_alias roll rot90 rsub rsub_tensor
    scalar_pow scatter scatter_add scatter_value select select_backward select_copy sgn sinc slice
    slice_backward slice_copy split split_copy split_with_sizes split_with_sizes_copy squeeze squeeze_
    squeeze_copy squeeze_dim squeeze_dim_ squeeze_dim_copy squeeze_dims squeeze_dims_ squeeze_dims_copy
    squeezed stack std_mean strided_values strided_values_backward sub sub_scaled sum t t_ t_copy take
    take_places take_places_backward trace transpose transpose_ transpose_copy tril unbind unbind_copy
    unfold unfold_backward unfold_copy unsafe_split unsafe_split_with_sizes unsafe_view unsqueeze
    unsqueeze_ unsqueeze_copy var_mean view view_as_real_copy view_copy where zero_inplace zeros_of
"""
NAMES = frozenset(_NAMES.split())


#: Outputs that are not determined up to a phase only: eigenvalues and singular values.
PULLED = {"linalg_eig": (0,), "linalg_eigh": (0,), "linalg_svd": (1,)}


def complex_twins(rows: Iterable[Sample]) -> list[Sample]:
    """The twins of those among some rows that have one and are not complex already."""
    rng = np.random.default_rng(7)
    done: set[str] = set()
    twins = []
    for row in rows:
        floats = [isinstance(v, np.ndarray) and v.dtype.kind == "f" for v in row.inputs]
        if row.op in NAMES - done and any(floats):
            done.add(row.op)
            inputs = tuple(
                _with_imaginary(rng, v, row.varied.get(k)) if floating else v
                for k, (v, floating) in enumerate(zip(row.inputs, floats, strict=True))
            )
            twins.append(replace(row, inputs=inputs, reference=None, pulled=PULLED.get(row.op, row.pulled)))
    return twins


def _with_imaginary(
    rng: np.random.Generator, x: np.ndarray, varied: Callable[[np.ndarray], np.ndarray] | None
) -> np.ndarray:
    part = 0.3j * rng.normal(size=x.shape)
    return np.asarray(x + (part if varied is None else varied(part)))
