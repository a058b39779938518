"""Name the functions whose arguments autocast casts.

The lists are those of torch's dispatcher for the CPU: products and convolutions run in the lower precision,
functions that lose too much in it in float32, and those that join tensors in the widest precision among them;
all others run in what they are given.
"""

def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


#: Functions that run in the lower precision.
LOWER = _names(
    "_addmm_activation addbmm addmm baddbmm bmm chain_matmul conv1d conv2d conv3d conv_tbc conv_transpose1d "
    "conv_transpose2d conv_transpose3d linalg_matmul linalg_multi_dot linalg_vecdot linear matmul mm "
    "prelu rnn_relu rnn_tanh scaled_dot_product_attention"
)
#: Functions that run in float32.
FLOAT32 = _names(
    "adaptive_avg_pool3d adaptive_max_pool3d avg_pool3d binary_cross_entropy "
    "binary_cross_entropy_with_logits cdist cholesky cholesky_inverse cholesky_solve cosine_embedding_loss "
    "cross_entropy ctc_loss fft_fft fft_fft2 fft_fftn fft_hfft fft_ifft fft_ifft2 fft_ifftn fft_ihfft "
    "fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftn fractional_max_pool2d "
    "fractional_max_pool3d geqrf grid_sample grid_sampler grid_sampler_2d grid_sampler_3d "
    "hinge_embedding_loss huber_loss inverse kl_div l1_loss linalg_cholesky linalg_cholesky_ex linalg_cond "
    "linalg_eig linalg_eigh linalg_eigvals linalg_eigvalsh linalg_householder_product linalg_inv "
    "linalg_inv_ex linalg_lstsq linalg_matrix_rank linalg_qr linalg_solve linalg_svd linalg_svdvals "
    "linalg_tensorinv linalg_tensorsolve lu_solve margin_ranking_loss max_pool3d max_unpool2d max_unpool3d "
    "mse_loss multi_margin_loss multilabel_margin_loss nanquantile nll_loss orgqr ormqr pinverse "
    "poisson_nll_loss polar prod qr quantile smooth_l1_loss soft_margin_loss stft svd trace triangular_solve "
    "triplet_margin_loss view_as_complex"
)
#: Functions that run in the widest precision among their tensors.
WIDEST = frozenset({"cat", "concat", "concatenate", "index_copy", "stack"})
#: Paddings that run in float32.
PADDED = frozenset({"reflect", "replicate"})


def is_cast(label: str) -> bool:
    """Return whether autocast asks for the arguments of a function."""
    return label in LOWER or label in FLOAT32 or label in WIDEST or label == "pad"
