"""Name torch's kernels as messages do, and the dtypes that they refuse: recorded from torch.

NumPy computes nearly everything in nearly every dtype, torch has most kernels for the common ones only. Read
by `core/op.py` when an op is declared, which asks it of the dtype that inputs were promoted to.
"""

from collections.abc import Mapping

import numpy as np

from ..array import dtypes
from ..core.op_fields import COMPLEX_HALF, KERNELS, Kernel


def _numpy(*names: str) -> frozenset[np.dtype]:
    return frozenset(getattr(dtypes, name).numpy for name in names)


_NOTHING = _numpy()
_UNSIGNED = _numpy("uint16", "uint32", "uint64")
#: What most kernels that move elements are not written for.
RARE = _UNSIGNED | dtypes.FLOAT8_NUMPY
_BOOL = _numpy("bool")
_COMPLEX = _numpy("complex64", "complex128")
_SMALL = _numpy("int8", "uint8", "int16", "int32")
_HALF = _numpy("float16", "bfloat16")
_NO_FLOAT = RARE | _BOOL | _COMPLEX | _SMALL | _numpy("int64")

#: Ops whose kernels are of Intel's library of vector mathematics.
_OF_VML = (
    "acos", "asin", "atan", "ceil", "cos", "erf", "erfc", "erfinv", "exp", "expm1", "floor", "i0", "lgamma",
    "log", "log10", "log1p", "log2", "round", "sin", "sqrt", "tan", "tanh", "trunc",
)  # fmt: skip

#: By dtypes refused: the words of kernels that are their ops' names or end in "_cpu" after them, and other
#: words of kernels with the ops that they are the kernels of.
_TABLE: tuple[tuple[frozenset[np.dtype], str, Mapping[str, str]], ...] = (
    (_UNSIGNED,
     ("abs_cpu addr_cpu bincount_cpu bitwise_not_cpu div_trunc_cpu fmod_cpu gcd_cpu ge_cpu gt_cpu "
     "heaviside_cpu lcm_cpu le_cpu logical_and_cpu logical_not_cpu logical_or_cpu logical_xor_cpu lt_cpu "
     "masked_select neg_cpu trace"), {
        "add_stub": "add add_scaled sub rsub", "addcmul_cpu_out": "addcmul",
        "addmm_impl_cpu_": "addbmm addmm mm", "clamp_min_scalar_cpu": "relu",
        "clamp_scalar_cpu": "hardtanh", "div_floor_cpu": "div_floor floor_divide floor_divide_",
        "lshift_cpu": "bitwise_left_shift", "maximum_cpu": "clamp_min fmax maximum",
        "minimum_cpu": "clamp_max fmin minimum", "pow": "pow pow_scalar",
        "remainder_cpu": "remainder remainder_number remainder_of_number",
        "rshift_cpu": "bitwise_right_shift", "sign_cpu": "sgn sign",
    }),
    (_UNSIGNED | _BOOL, "baddbmm bmm threshold_cpu", {
        "addmv_impl_cpu": "addmv mv", "clamp_cpu": "clamp_both", "dot": "dot vdot",
    }),
    (RARE,
     ("argmax_cpu argmin_cpu index_copy_cpu masked_scatter max_all max_cpu min_all min_cpu take_cpu topk_cpu "
     "tril triu"), {
        "prod_out_cpu": "prod prod_all", "sum_cpu": "mean sum", "index_add_": "index_add",
        "index_fill_cpu": "index_fill_tensor", "isin_default_cpu": "isin",
        "masked_fill": "masked_fill masked_fill_tensor", "max_pool2d": "max_pool_2d",
        "max_pool3d": "max_pool_3d", "max_values_cpu": "amax", "min_values_cpu": "amin",
        "scatter_gather_tensor_cpu": "gather scatter scatter_add", "take_put_cpu": "put_places",
    }),
    (RARE | _BOOL,
     ("reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d "
     "replication_pad3d"), {
        "cross": "linalg_cross", "median_cpu": "median_all nanmedian_all", "median_out": "median nanmedian",
    }),
    (RARE | _COMPLEX, "aminmax_cpu mode_cpu", {}),
    (RARE | _BOOL | _COMPLEX, "kthvalue_cpu", {"searchsorted_out_cpu": "searchsorted"}),
    (_NO_FLOAT, "binary_cross_entropy log_sigmoid_cpu prelu_cpu", {
        "max_unpool2d": "max_unpool_2d", "max_unpool3d": "max_unpool_3d",
        "nll_loss_out_frame": "nll_loss nll_loss2d",
    }),
    ((_NO_FLOAT | _HALF) - _COMPLEX, "", {"orgqr_cpu": "linalg_householder_product"}),
    (dtypes.FLOAT8_NUMPY, "index_fill_cpu logit_cpu nansum_cpu nextafter_cpu", {
        "adaptive_avg_pool2d": "adaptive_avg_pool_2d", "adaptive_max_pool2d": "adaptive_max_pool_2d",
        "adaptive_avg_pool3d_cpu": "adaptive_avg_pool_3d",
        "adaptive_max_pool3d_cpu": "adaptive_max_pool_3d", "huber_cpu": "huber_loss", "mse_cpu": "mse_loss",
        "smooth_l1_cpu": "smooth_l1_loss",
    }),
    (dtypes.FLOAT8_NUMPY | _HALF, "", {
        "linalg.lu_solve_cpu": "linalg_lu_solve", "ldl_solve_kernel_cpu": "linalg_ldl_solve",
        "multi_margin_loss_cpu_kernel": "multi_margin_loss",
        "multilabel_margin_loss_forward_out_frame": "multilabel_margin_loss",
    }),
    (RARE, "cummax_cpu cummin_cpu", {
        "add_stub": "dist", "cumprod_out_cpu": "cumprod", "cumsum_out_cpu": "cumsum",
        "xor_sum_cpu": "hash_tensor",
    }),
    (dtypes.FLOAT8_NUMPY, "digamma exp2 fmax_cpu fmin_cpu frexp_cpu nan_to_num nextafter_cpu", {
        "addcdiv_cpu_out": "addcdiv", "arange_cpu": "mvlgamma", "lerp_kernel_scalar": "lerp",
        "lerp_kernel_tensor": "lerp_tensor", "logcumsumexp_out_cpu": "logcumsumexp",
        "max_values_cpu": "logsumexp", "mul_cpu_reduced_float": "deg2rad rad2deg",
        "prod_out_cpu": "prod_all", "sorting_kernel_method_name": "sort", "sum_cpu": "mean mean_all",
    }),
    (dtypes.FLOAT8_NUMPY - _numpy("float8_e5m2"), "isfinite isinf", {}),
    # Refused already, under a word that is not the op's name.
    (_NOTHING, "", {
        "logcumsumexp_out_cpu": "logcumsumexp", "max_values_cpu": "logsumexp",
        "sum_cpu": "mean_all sum_all", "div_cpu_reduced_float": "div", "mul_cpu_reduced_float": "mul",
        "norm_cpu": "vector_norm", **{f"{op}_vml_cpu": op for op in _OF_VML},
    }),
)  # fmt: skip

#: Ops that are done with tensors of no dimension before they look for a kernel.
_SPARING_SCALARS = frozenset({
    "cummax", "cummin", "cumprod", "cumsum", "kthvalue", "max", "min", "mode", "sort", "topk",
})  # fmt: skip

#: Words of kernels that refuse complex32 under another name than the op's.
_COMPLEX_HALF_WORDS = {
    "addcdiv_cpu_out": "addcdiv",
    "addmm_impl_cpu_": "linear_folded linear_weight mm_folded",
    "bernoulli_scalar_cpu_": "bernoulli_number dropout_noise", "bernoulli_tensor_cpu_self_": "bernoulli",
    "bmm": "linalg_matrix_exp linear matmul scaled_dot_product_attention",
    **{f"{name}_out_cpu": name for name in ("col2im", "cumprod", "cumsum", "im2col", "logcumsumexp")},
    "div_cpu": "div", "channel_shuffle": "channel_shuffle native_channel_shuffle", "exp2": "exp2",
    "exp_vml_cpu": "logsumexp soft_margin_loss", "huber_cpu": "huber_loss",
    "lerp_kernel_scalar": "lerp", "lerp_kernel_tensor": "lerp_tensor", "linspace_cpu": "histc histogram",
    "log_sigmoid_cpu": "binary_cross_entropy_with_logits log_sigmoid", "mse_cpu": "mse_loss",
    "nan_to_num": "nan_to_num", "pixel_shuffle": "pixel_shuffle", "pixel_unshuffle": "pixel_unshuffle",
    "pow": "integer_pow scalar_pow", "prod_out_cpu": "prod prod_all",
    "scatter_gather_scalar_cpu": "lu_unpack scatter_value",
    "scatter_gather_tensor_cpu": "scatter_combined", "sum_cpu": "mean mean_all sum sum_all",
    "norm_cpu": "vector_norm", "smooth_l1_cpu": "smooth_l1_loss",
}  # fmt: skip

#: Ops that compute, or choose by a number, and take complex32.
_COMPUTING = (
    "abs", "add", "add_at_places", "add_scaled", "addcmul", "all", "any", "as_complex", "at_places",
    "complex", "_conj", "conj", "conj_physical", "constant_pad_nd", "conv", "conv_biased", "conv_transpose",
    "conv_transpose_biased", "conv_weight", "count_nonzero", "dist", "embedding", "embedding_backward",
    "embedding_sparse", "eq", "index", "index_add", "index_backward",
    "index_copy", "index_fill", "index_fill_tensor", "index_put", "index_select", "isclose", "isfinite",
    "isinf", "isnan", "masked_fill", "masked_fill_tensor", "masked_place", "masked_select", "mul",
    "mul_number", "ne", "neg", "_neg_view", "norm_dims", "normal",
    "normal_around", "place", "rsub", "sgn", "std", "std_mean", "sub", "uniform",
    "var", "var_mean", "vector_norm", "where", "zeros_of",
)

#: Ops whose kernels refuse it themselves, under texts of their own.
_REFUSING = ("frexp", "index_reduce", "ldexp", "multinomial", "pow_scalar")

#: Ops that move elements and refuse it.
_MOVING = (
    "channel_shuffle", "col2im", "cumsum", "fft_c2c", "fft_c2r", "fft_r2c", "im2col",
    "native_channel_shuffle", "pixel_shuffle", "pixel_unshuffle", "reflection_pad1d", "reflection_pad2d",
    "reflection_pad3d", "replication_pad1d", "replication_pad2d", "replication_pad3d",
)

COMPLEX_HALF.update(_COMPUTING, _REFUSING, _MOVING)

for _refused, _own, _others in _TABLE:
    for _word, _ops in [*((word, word.removesuffix("_cpu")) for word in _own.split()), *_others.items()]:
        for _op in _ops.split():
            _known = KERNELS.setdefault(_op, Kernel(_word, _op in _SPARING_SCALARS))
            _known.words.update(dict.fromkeys(_refused - _known.refused, _word))
            _known.refused |= _refused

for _word, _ops in _COMPLEX_HALF_WORDS.items():
    for _op in _ops.split():
        KERNELS.setdefault(_op, Kernel(_word, _op in _SPARING_SCALARS)).words[dtypes.COMPLEX32] = _word

# A comparison that is written to its first operand computes in the dtype of both, which is not the result's.
for _name in ("ge", "gt", "le", "lt"):
    for _kind in ("number", "tensor"):
        KERNELS[f"{_name}_{_kind}"] = Kernel(f"{_name}_cpu")
