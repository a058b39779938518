"""torch.nn.functional.

Written by tools/make_stubs.py: run ``python -m tools.make_stubs``, and change nothing here by hand.
"""

from collections.abc import Sequence
from typing import Any
from typing import Literal
from typing import overload
from ...array.dtypes import dtype
from ...tensor.tensor import Tensor


def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Return means over `output_size` windows of nearly equal length, one axis."""
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Return means over `output_size` windows of nearly equal length, two axes."""
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """Return means over `output_size` windows of nearly equal length, three axes."""
@overload
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: Literal[False] = ...) -> Tensor: ...
@overload
def adaptive_max_pool1d(
    input: Tensor, output_size: Any, *, return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Return maxima over `output_size` windows of nearly equal length, one axis."""
def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: Any, return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return :func:`adaptive_max_pool1d` and the places of the maxima, whatever `return_indices` says."""
@overload
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: Literal[False] = ...) -> Tensor: ...
@overload
def adaptive_max_pool2d(
    input: Tensor, output_size: Any, *, return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Return maxima over `output_size` windows of nearly equal length, two axes."""
def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: Any, return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return :func:`adaptive_max_pool2d` and the places of the maxima, whatever `return_indices` says."""
@overload
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: Literal[False] = ...) -> Tensor: ...
@overload
def adaptive_max_pool3d(
    input: Tensor, output_size: Any, *, return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Return maxima over `output_size` windows of nearly equal length, three axes."""
def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: Any, return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return :func:`adaptive_max_pool3d` and the places of the maxima, whatever `return_indices` says."""
def affine_grid(theta: Any, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """Return the grid of an affine map: ``out[n, p] = theta[n] @ (p, 1)`` for the centre p of every pixel."""
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Do dropout that keeps mean and variance of `selu`'s output: dropped elements take its limit at −∞."""
def avg_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the mean of each window of one axis: (N, C, L) -> (N, C, L')."""
def avg_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return the mean of each window of two axes: (N, C, H, W) -> (N, C, H', W')."""
def avg_pool3d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return the mean of each window of three axes."""
def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
    bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-05,
) -> Tensor:
    """Return (input − mean) / √(var + eps) · weight + bias for each channel (dim 1)."""
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return ``Σ_ij input1ᵢ · weight[k, i, j] · input2ⱼ + bias[k]``."""
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = 'mean',
) -> Tensor:
    """Return −w(target·log(input) + (1 − target)·log(1 − input))."""
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = 'mean', pos_weight: Tensor | None = None,
) -> Tensor:
    """Return `binary_cross_entropy` of sigmoid(input), computed without overflow; `pos_weight` weights the
    positive class.
    """
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return input where it is positive, else α(exp(input/α) − 1)."""
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Apply `celu` in place."""
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Map (N, g·c, …) -> (N, c·g, …): the channels of every group in turn."""
def conv1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Tensor:
    """Return the convolution over one axis: (N, C, L) with (O, C / groups, K) -> (N, O, L')."""
def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Tensor:
    """Return the convolution over two axes: (N, C, H, W) with (O, C / groups, K, L) -> (N, O, H', W')."""
def conv3d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Tensor:
    """Return the convolution over three axes: (N, C, D, H, W) with (O, C / groups, J, K, L) -> (N, O, D',
    H', W').
    """
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Return the convolution in time: ``out[t] = Σ_k input[t + k − pad] @ weight[k] + bias``."""
def conv_transpose1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
) -> Tensor:
    """Return the transpose of a convolution of one axis: (N, C, L) with (C, O / groups, K) -> (N, O, L')."""
def conv_transpose2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
) -> Tensor:
    """Return the transpose of a convolution over two axes: (N, C, H, W) with (C, O / groups, K, L) -> (N,
    O, H', W').
    """
def conv_transpose3d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
) -> Tensor:
    """Return the transpose of a convolution over three axes: (N, C, D, H, W) -> (N, O, D', H', W')."""
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = 'mean',
) -> Tensor:
    """Return 1 − cos where target is 1, max(0, cos − margin) where it is −1."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-08) -> Tensor:
    """Return Σ x1·x2 / (|x1|·|x2|) along `dim`, norms no less than `eps`."""
def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = 'mean',
    label_smoothing: float = 0.0,
) -> Tensor:
    """Cross entropy of logits `input` (dim 1: classes) with class indices, or probabilities of its shape."""
def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: str = 'mean', zero_infinity: bool = False,
) -> Tensor:
    """Return −log Σ over the alignments of a target of Π exp(log_probs) (Graves et al. 2006)."""
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero elements in training with probability p, and divide the others by 1 − p."""
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Return `dropout` of whole channels of (N, C, L) or (C, L)."""
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Return `dropout` of whole channels of (N, C, H, W)."""
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Return `dropout` of whole channels of (N, C, D, H, W) or (C, D, H, W)."""
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return input where it is positive, else α(exp(input) − 1)."""
def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Apply `elu` in place."""
def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:
    """Return rows of `weight`, ``(rows, columns)``, at integers of any shape: ``(*) -> (*, columns)``."""
def embedding_bag(
    input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None,
    norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = 'mean', sparse: bool = False,
    per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Return sums, means or maxima of bags of rows: ``out[b] = Σ per_sample_weights[i] ·
    weight[input[i]]``, i in bag b.
    """
def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False,
) -> Tensor:
    """Return `alpha_dropout` of whole channels of (N, C, *spatial)."""
def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1,
) -> Tensor:
    """Return columns added to their places: the transpose of :func:`unfold`."""
@overload
def fractional_max_pool2d(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: Literal[False] = ..., _random_samples: Any = None,
) -> Tensor: ...
@overload
def fractional_max_pool2d(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, *,
    return_indices: Literal[True], _random_samples: Any = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def fractional_max_pool2d(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: bool = False, _random_samples: Any = None,
) -> Any:
    """Return the largest value of each of windows at random distances, of two axes (Graham 2014)."""
def fractional_max_pool2d_with_indices(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: bool = False, _random_samples: Any = None,
) -> tuple[Tensor, Tensor]:
    """Return :func:`fractional_max_pool2d` and the places of the maxima, whatever `return_indices` says."""
@overload
def fractional_max_pool3d(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: Literal[False] = ..., _random_samples: Any = None,
) -> Tensor: ...
@overload
def fractional_max_pool3d(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, *,
    return_indices: Literal[True], _random_samples: Any = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def fractional_max_pool3d(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: bool = False, _random_samples: Any = None,
) -> Any:
    """Return the largest value of each of windows at random distances, of three axes (Graham 2014)."""
def fractional_max_pool3d_with_indices(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
    return_indices: bool = False, _random_samples: Any = None,
) -> tuple[Tensor, Tensor]:
    """Return :func:`fractional_max_pool3d` and the places of the maxima, whatever `return_indices` says."""
def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-06, reduction: str = 'mean',
) -> Tensor:
    """Return ½(log var + (input − target)²/var), with var no less than `eps`."""
def gelu(input: Tensor, *, approximate: str = 'none', out: Tensor | None = None) -> Tensor:
    """Return input·Φ(input), Φ the normal distribution function, by a tanh if ``approximate="tanh"``."""
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Return the first half along `dim` times the sigmoid of the second."""
def grid_sample(
    input: Tensor, grid: Tensor, mode: str = 'bilinear', padding_mode: str = 'zeros',
    align_corners: bool | None = None,
) -> Tensor:
    """Return values of images at the places of a grid: ``out[n, c, p] = input[n, c, grid[n, p]]``."""
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-05,
) -> Tensor:
    """Return `num_groups` groups of channels (dim 1), each normalised, with a weight and bias per channel."""
def gumbel_softmax(
    logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1,
) -> Tensor:
    """Return draws from a relaxed categorical distribution: softmax((logits + G) / τ), G standard Gumbel."""
def hardshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Return input where |input| > `lambd`, else 0."""
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Return min(max(0, input + 3), 6) / 6."""
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input·hardsigmoid(input)."""
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Return input between `min_val` and `max_val`."""
def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Apply `hardtanh` in place."""
def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = 'mean',
) -> Tensor:
    """Return input where target is 1, max(0, margin − input) where it is −1."""
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = 'mean', delta: float = 1.0, weight: Tensor | None = None,
) -> Tensor:
    """Return ½d² where |d| ≤ δ, else δ(|d| − ½δ), for d = input − target."""
def instance_norm(
    input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None,
    weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True,
    momentum: float = 0.1, eps: float = 1e-05,
) -> Tensor:
    """Return `batch_norm` of each image on its own."""
def interpolate(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = 'nearest',
    align_corners: bool | None = None, recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> Tensor:
    """Resample the spatial axes of (N, C, *spatial) to a size or by a factor."""
def kl_div(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = 'mean', log_target: bool = False,
) -> Tensor:
    """Return the Kullback–Leibler divergence of log-probabilities `input` from `target`: target·(log
    target − input).
    """
def l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = 'mean', weight: Tensor | None = None,
) -> Tensor:
    """Return the mean absolute error: the reduction of |input − target|."""
def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-05,
) -> Tensor:
    """Return (input − mean) / √(var + eps) · weight + bias over the dims of `normalized_shape`."""
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return input where it is positive, else `negative_slope`·input."""
def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Apply `leaky_relu` in place."""
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return ``input @ weightᵀ + bias``: (…, in) with (out, in) and (out,) -> (…, out)."""
def linear_cross_entropy(
    input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None,
    weight: Tensor | None = None, reduction: str = 'mean', ignore_index: int | None = None,
    label_smoothing: float = 0.0, options: Any | None = None,
) -> Tensor:
    """Return ``cross_entropy(linear(input, linear_weight, linear_bias), target)``."""
def local_response_norm(
    input: Tensor, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0,
) -> Tensor:
    """Return input / (k + α·mean(input² of the `size` channels around))^β."""
def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None,
) -> Tensor:
    """Return input − log Σ exp(input) along `dim`."""
def logsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return log(sigmoid(input))."""
def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: int, stride: Any = None, ceil_mode: bool = False,
) -> Tensor:
    """Return (Σ xᵖ)^(1/p) over windows of one axis."""
def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False,
) -> Tensor:
    """Return (Σ xᵖ)^(1/p) over windows of two axes."""
def lp_pool3d(
    input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False,
) -> Tensor:
    """Return (Σ xᵖ)^(1/p) over windows of three axes."""
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = 'mean',
) -> Tensor:
    """Return max(0, −target·(input1 − input2) + margin)."""
@overload
def max_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: Literal[False] = ...,
) -> Tensor: ...
@overload
def max_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, *, return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def max_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:
    """Return the largest value of each window of one axis: (N, C, L) -> (N, C, L')."""
def max_pool1d_with_indices(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return :func:`max_pool1d` and the places of the maxima, whatever `return_indices` says."""
@overload
def max_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: Literal[False] = ...,
) -> Tensor: ...
@overload
def max_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, *, return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def max_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:
    """Return the largest value of each window of two axes: (N, C, H, W) -> (N, C, H', W')."""
def max_pool2d_with_indices(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return :func:`max_pool2d` and the places of the maxima, whatever `return_indices` says."""
@overload
def max_pool3d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: Literal[False] = ...,
) -> Tensor: ...
@overload
def max_pool3d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, *, return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def max_pool3d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:
    """Return the largest value of each window of three axes."""
def max_pool3d_with_indices(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return :func:`max_pool3d` and the places of the maxima, whatever `return_indices` says."""
def max_unpool1d(
    input: Tensor, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Tensor:
    """Put maxima back where `max_pool1d` found them; zeros elsewhere."""
def max_unpool2d(
    input: Tensor, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Tensor:
    """Put maxima back where `max_pool2d` found them; zeros elsewhere."""
def max_unpool3d(
    input: Tensor, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Tensor:
    """Put maxima back where `max_pool3d` found them; zeros elsewhere."""
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input·tanh(softplus(input))."""
def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = 'mean', weight: Tensor | None = None,
) -> Tensor:
    """Return the mean squared error: the reduction of (input − target)²."""
def multi_head_attention_forward(
    query: Tensor, key: Any, value: Any, embed_dim_to_check: int, num_heads: int, in_proj_weight: Any,
    in_proj_bias: Any, bias_k: Any, bias_v: Any, add_zero_attn: bool, dropout_p: float, out_proj_weight: Any,
    out_proj_bias: Any, training: bool = True, key_padding_mask: Any = None, need_weights: bool = True,
    attn_mask: Tensor | None = None, use_separate_proj_weight: bool = False, q_proj_weight: Any = None,
    k_proj_weight: Any = None, v_proj_weight: Any = None, static_k: Any = None, static_v: Any = None,
    average_attn_weights: bool = True, is_causal: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return ``concat(softmax(Q_h K_hᵀ / √d + mask) V_h) Wₒᵀ`` over heads h (Vaswani et al. 2017, section
    3.2.2).
    """
def multi_margin_loss(
    input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean',
) -> Tensor:
    """Return the mean over the other classes i of max(0, margin − input[target] + input[i])^p, weighted by
    the target's class.
    """
def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = 'mean',
) -> Tensor:
    """Return Σ of max(0, 1 − (input[j] − input[i])) / classes; targets j end at −1, i are other classes."""
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = 'mean',
) -> Tensor:
    """Return the mean over the classes (last dim) of −w(target·log s + (1 − target)·log(1 − s)), s =
    sigmoid(input).
    """
def native_channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Return :func:`channel_shuffle` without a derivative, as torch has it."""
def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = 'mean',
) -> Tensor:
    """Return the negative log-likelihood: −w[t]·input[t] for log-probabilities with classes along dim 1;
    the mean is weighted.
    """
def normalize(
    input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Tensor | None = None,
) -> Tensor:
    """Return input / max(|input|_p, eps), the norm over `dim`."""
def one_hot(tensor: Any, num_classes: int = -1) -> Tensor:
    """Return integers (*) as rows (*, num_classes) of zeros with a one at the integer's place."""
def pad(input: Tensor, pad: Sequence[int], mode: str = 'constant', value: float | None = None) -> Tensor:
    """Pad the last axes."""
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False,
) -> Tensor:
    """Return the norm of order p of x1 − x2 + eps along the last dim."""
def pdist(input: Tensor, p: float = 2) -> Tensor:
    """Return distances ``(Σ |xᵢ − xⱼ|ᵖ)^(1/p)`` of each row to every later: (N, M) -> (N (N − 1) / 2,)."""
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Map (…, C·r², H, W) -> (…, C, H·r, W·r)."""
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Map (…, C, H·r, W·r) -> (…, C·r², H, W)."""
def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool = True, full: bool = False,
    size_average: bool | None = None, eps: float = 1e-08, reduce: bool | None = None, reduction: str = 'mean',
) -> Tensor:
    """Return the negative log-likelihood of counts `target`: exp(input) − target·input, or input −
    target·log(input + eps).
    """
def prelu(input: Tensor, weight: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return input where positive, else weight·input, a weight for each channel (dim 1) or one for all."""
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return max(0, input)."""
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return min(max(0, input), 6)."""
def relu_(input: Tensor) -> Tensor:
    """Apply `relu` in place."""
def rms_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None,
) -> Tensor:
    """Return input / √(mean(input²) + eps) · weight over the last dims; `eps` is the dtype's by default."""
def rrelu(
    input: Tensor, lower: float = 0.125, upper: float = 0.3333333333333333, training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """Return `leaky_relu` with slopes drawn between `lower` and `upper` in training, else with their mean."""
def rrelu_(
    input: Tensor, lower: float = 0.125, upper: float = 0.3333333333333333, training: bool = False,
) -> Tensor:
    """Return in-place rrelu."""
def scaled_dot_product_attention(
    query: Tensor, key: Any, value: Any, attn_mask: Tensor | None = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False,
) -> Tensor:
    """Return ``softmax(query @ keyᵀ · scale + mask) @ value`` (Vaswani et al. 2017, eq. 1)."""
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return the self-normalising `elu`: scale 1.0507, α 1.6733."""
def selu_(input: Tensor) -> Tensor:
    """Apply `selu` in place."""
def sigmoid(input: Tensor) -> Tensor:
    """Return 1 / (1 + exp(−input))."""
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input·sigmoid(input)."""
def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = 'mean', beta: float = 1.0,
) -> Tensor:
    """Return ½d²/β where |d| < β, else |d| − ½β, for d = input − target."""
def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = 'mean',
) -> Tensor:
    """Return log(1 + exp(−target·input))."""
def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None,
) -> Tensor:
    """Return exp(input) / Σ exp(input) along `dim`."""
def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None,
) -> Tensor:
    """Return softmax(−input)."""
def softplus(input: Tensor, beta: float = 1, threshold: float = 20, *, out: Tensor | None = None) -> Tensor:
    """Return log(1 + exp(β·input)) / β, and input itself where β·input > threshold."""
def softshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Return input brought `lambd` nearer to 0, and 0 where |input| ≤ `lambd`."""
def softsign(input: Tensor) -> Tensor:
    """Return input / (1 + |input|)."""
def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent."""
def tanhshrink(input: Tensor) -> Tensor:
    """Return input − tanh(input)."""
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Return input where it is above `threshold`, else `value`."""
def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """Apply `threshold` in place."""
def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-06,
    swap: bool = False, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean',
) -> Tensor:
    """Return max(0, d(anchor, positive) − d(anchor, negative) + margin), d the distance of order p."""
def triplet_margin_with_distance_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Any = None, margin: float = 1.0,
    swap: bool = False, reduction: str = 'mean',
) -> Tensor:
    """Return `triplet_margin_loss` with a distance of one's own."""
def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Return patches as columns: ``out[n, (c, k, l), p] = input[n, c, place p + tap (k, l)]``."""
def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = 'nearest',
    align_corners: bool | None = None,
) -> Tensor:
    """Return the former name of :func:`interpolate`."""
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Return :func:`interpolate` in mode "bilinear" with aligned corners."""
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Return :func:`interpolate` in mode "nearest"."""
