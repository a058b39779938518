"""torch.nn.functional: the functions of the layers, without their state."""

from __future__ import annotations

from ...tensor.axis_products import bilinear
from ...tensor.builtin import publish
from ...tensor.contract import linear
from ...tensor.padding import pad
from ...tensor.told import tell
from ...torch_names.exclusions import answer_for
from .activation import (
    celu,
    celu_,
    elu,
    elu_,
    gelu,
    glu,
    gumbel_softmax,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    leaky_relu,
    leaky_relu_,
    log_softmax,
    logsigmoid,
    mish,
    prelu,
    relu,
    relu6,
    relu_,
    rrelu,
    rrelu_,
    selu,
    selu_,
    sigmoid,
    silu,
    softmax,
    softmin,
    softplus,
    softshrink,
    softsign,
    tanh,
    tanhshrink,
    threshold,
    threshold_,
)
from .activation import threshold as _threshold  # noqa: F401  # what torch's function is called
from .attention import scaled_dot_product_attention
from .classification_loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    nll_loss,
    soft_margin_loss,
)
from .conv_tbc import conv_tbc
from .convolution import conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d
from .ctc import ctc_loss
from .distance_loss import (
    cosine_embedding_loss,
    cosine_similarity,
    hinge_embedding_loss,
    margin_ranking_loss,
    pairwise_distance,
    pdist,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from .dropout import alpha_dropout, dropout, dropout1d, dropout2d, dropout3d, feature_alpha_dropout
from .embedding import embedding, one_hot
from .embedding_bag import embedding_bag
from .fractional_pool import (
    fractional_max_pool2d,
    fractional_max_pool2d_with_indices,
    fractional_max_pool3d,
    fractional_max_pool3d_with_indices,
)
from .linear_loss import linear_cross_entropy
from .multi_head import multi_head_attention_forward
from .normalization import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    local_response_norm,
    normalize,
    rms_norm,
)
from .patches import fold, unfold
from .pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool1d_with_indices,
    adaptive_max_pool2d,
    adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d,
    adaptive_max_pool3d_with_indices,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool2d_with_indices,
    max_pool3d,
    max_pool3d_with_indices,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
)
from .regression_loss import (
    gaussian_nll_loss,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    poisson_nll_loss,
    smooth_l1_loss,
)
from .sampling import affine_grid, grid_sample
from .vision import (
    channel_shuffle,
    interpolate,
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    native_channel_shuffle,
    pixel_shuffle,
    pixel_unshuffle,
    upsample,
    upsample_bilinear,
    upsample_nearest,
)

publish(globals(), "nn.functional")

__all__ = [
    "linear_cross_entropy", "multi_head_attention_forward", "gumbel_softmax", "rrelu_",
    "native_channel_shuffle", "upsample", "upsample_bilinear", "upsample_nearest", "conv_tbc",
    "max_pool1d_with_indices", "max_pool2d_with_indices", "max_pool3d_with_indices",
    "adaptive_max_pool1d_with_indices", "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d_with_indices", "fractional_max_pool2d", "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d", "fractional_max_pool3d_with_indices", "embedding_bag", "ctc_loss", "affine_grid",
    "grid_sample", "channel_shuffle", "lp_pool3d", "max_unpool1d", "max_unpool2d", "max_unpool3d",
    "feature_alpha_dropout", "fold", "interpolate", "lp_pool1d", "lp_pool2d", "pixel_shuffle",
    "pixel_unshuffle", "unfold", "scaled_dot_product_attention", "conv1d", "conv2d", "conv3d",
    "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "pad", "adaptive_avg_pool1d",
    "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "adaptive_max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "max_pool1d", "max_pool2d", "max_pool3d",
    "bilinear", "linear", "alpha_dropout", "batch_norm", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "celu", "celu_", "cosine_embedding_loss", "cosine_similarity",
    "cross_entropy", "dropout", "dropout1d", "dropout2d", "dropout3d", "embedding", "elu", "elu_",
    "gaussian_nll_loss", "gelu", "glu", "group_norm", "hardshrink", "hardsigmoid", "hardswish", "hardtanh",
    "hardtanh_", "hinge_embedding_loss", "huber_loss", "instance_norm", "kl_div", "l1_loss", "layer_norm",
    "leaky_relu", "leaky_relu_", "local_response_norm", "log_softmax", "logsigmoid", "margin_ranking_loss",
    "mish", "mse_loss", "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss",
    "nll_loss", "normalize", "pairwise_distance", "pdist", "one_hot", "poisson_nll_loss", "prelu", "relu",
    "relu6", "relu_", "rms_norm", "rrelu", "selu", "selu_", "sigmoid", "silu", "smooth_l1_loss",
    "soft_margin_loss", "softmax", "softmin", "softplus", "softshrink", "softsign", "tanh", "tanhshrink",
    "threshold", "threshold_", "triplet_margin_loss", "triplet_margin_with_distance_loss",
]  # fmt: skip

answer_for(globals())
tell("nn.functional", {name: globals()[name] for name in __all__})
