"""Define functions of torch's top level that take what their namesakes in `torch.nn.functional` take in
another order or form.

At the top level a flag is positional (`train`), a reduction is a number (0 none, 1 mean, 2 sum) and
normalisations take a flag for a library of GPUs, which is accepted and changes nothing here. Where no
reduction is given there is none: torch's parser reads the default of its schemas, the mean, as 0.
"""

from collections.abc import Callable
from typing import Any

from ...array.dtype_words import type_word
from ...core.inplace import write
from ...core.value import dtype_of, shape_of
from ...errors import with_name
from ...ops.embedding import embedding_renorm
from ...tensor.api import public
from ...tensor.signature import parsed
from . import classification_loss, ctc, distance_loss, normalization, pooling, regression_loss
from .convolution import convolved
from .dropout import alpha_dropout as functional_alpha_dropout
from .dropout import channel_dropout
from .dropout import dropout as functional_dropout
from .dropout import feature_alpha_dropout as functional_feature_alpha_dropout
from .embedding import check_indices
from .embedding import embedding as functional_embedding
from .loss_reduction import REDUCTIONS, apply_reduction


def _reduction(number: int) -> str:
    if number not in (0, 1, 2):
        raise ValueError(f"{number} is not a valid value for reduction")
    return REDUCTIONS[number]


ctc_loss = public(ctc.by_number, name="ctc_loss", method=False, out=False)


def _declare_dropout(function: Callable[..., Any], text: str) -> tuple[Any, Any]:
    """Declare a kind of dropout and its variant in place."""
    name = function.__name__

    def drop(input: Any, p: float, train: bool) -> Any:
        return function(input, p, train)

    def drop_(input: Any, p: float, train: bool) -> Any:
        return function(input, p, train, inplace=True)

    return (
        public(with_name(drop, name, text), method=False, out=False),
        public(with_name(drop_, f"{name}_", f"Apply :func:`{name}` in place."), method=False, out=False),
    )


dropout, dropout_ = _declare_dropout(
    functional_dropout, "Zero elements with probability p and scale the others by 1/(1 − p)."
)
alpha_dropout, alpha_dropout_ = _declare_dropout(
    functional_alpha_dropout, "Do dropout that keeps the mean and the variance of what `selu` gives."
)
feature_alpha_dropout, feature_alpha_dropout_ = _declare_dropout(
    functional_feature_alpha_dropout, "Return :func:`alpha_dropout` of whole channels."
)


def _check_probability(p: float) -> None:
    """Raise the error that torch's own code has where its layers raise a ValueError."""
    if p < 0 or p > 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")


@public(method=False, out=False)
@parsed("feature_dropout", "(Tensor input, float p, bool train)")
def feature_dropout(input: Any, p: float, train: bool) -> Any:
    """Return :func:`dropout` of whole channels."""
    _check_probability(p)
    return channel_dropout(input, p, train, False)


@public(method=False, out=False)
@parsed("feature_dropout_", "(Tensor input, float p, bool train)")
def feature_dropout_(input: Any, p: float, train: bool) -> Any:
    """Apply :func:`feature_dropout` in place."""
    _check_probability(p)
    return channel_dropout(input, p, train, True)


@public(method=False, out=False)
def adaptive_max_pool1d(input: Any, output_size: Any) -> Any:
    """Return maxima over `output_size` windows of nearly equal length and their indices."""
    return pooling.adaptive_max_pool1d(input, output_size, return_indices=True)


@public(method=False, out=False)
def batch_norm(
    input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool, momentum: float,
    eps: float, cudnn_enabled: bool,
) -> Any:  # fmt: skip
    """Normalise over all axes but the second."""
    return normalization.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


@public(method=False, out=False)
def instance_norm(
    input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, use_input_stats: bool,
    momentum: float, eps: float, cudnn_enabled: bool,
) -> Any:  # fmt: skip
    """Normalise over the axes after the second."""
    return normalization.instance_norm(
        input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps
    )


@public(method=False, out=False)
def layer_norm(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5,
    cudnn_enable: bool = True
) -> Any:
    """Normalise over the last axes."""
    return normalization.layer_norm(input, normalized_shape, weight, bias, eps)


@public(method=False, out=False)
def group_norm(
    input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5,
    cudnn_enabled: bool = True
) -> Any:
    """Normalise over groups of channels."""
    return normalization.group_norm(input, num_groups, weight, bias, eps)


@public(method=False, out=False)
def embedding(
    weight: Any, indices: Any, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Any:
    """Return rows of `weight` at `indices`; −1 means that no row is padding."""
    return functional_embedding(
        indices, weight, None if padding_idx == -1 else padding_idx, scale_grad_by_freq=scale_grad_by_freq,
        sparse=sparse
    )


@public(method=False, out=False)
@parsed("embedding_renorm_", "(Tensor input, Tensor indices, float max_norm, float norm_type)")
def embedding_renorm_(input: Any, indices: Any, max_norm: float, norm_type: float) -> Any:
    """Scale the rows of a table that are picked and longer than `max_norm` down to it, in place.

    Parameters
    ----------
    input : Tensor
        (rows, columns), the table, which is returned.
    indices : Tensor of int
        Rows, in any shape.
    max_norm : float
    norm_type : float
        Order of the norm.
    """
    if len(shape_of(input)) != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {len(shape_of(input))}-dimensional tensor for argument "
            "#1 'self' (while checking arguments for embedding_renorm_)"
        )
    check_indices(indices, "embedding_renorm_")
    if dtype_of(input).kind in "biu":
        raise RuntimeError(
            "norm(): input dtype should be either floating point or complex. Got "
            f"{type_word(dtype_of(input))} instead."
        )
    return write(input, embedding_renorm(input, indices, max_norm, norm_type))


@public(method=False, out=False)
@parsed(
    "max_pool1d_with_indices",
    "(Tensor input, tuple of ints[1] kernel_size, tuple of ints[1] stride = None, "
    "tuple of ints[1] padding = 0, tuple of ints[1] dilation = 1, bool ceil_mode = False)",
)
def max_pool1d_with_indices(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False,
) -> Any:  # fmt: skip
    """Return maxima over windows of one axis, ``(N, C, L)``, and their places."""
    return pooling.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices=True)


@public(method=False, out=False)
@parsed(
    "convolution",
    "(Tensor input, Tensor weight, Tensor? bias, tuple of ints stride, tuple of ints padding, "
    "tuple of ints dilation, bool transposed, tuple of ints output_padding, int groups)",
)
def convolution(
    input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
    output_padding: Any, groups: int,
) -> Any:  # fmt: skip
    """Return the convolution, or its transpose, over as many axes as the weight has after its first two.

    Parameters
    ----------
    input : Tensor
        (N, C, *size).
    weight : Tensor
        (O, C / groups, *kernel); (C, O / groups, *kernel) where `transposed`.
    bias : Tensor or None
        (O,).
    stride, padding, dilation, output_padding : sequence of int
        A number per axis, or one for all.
    transposed : bool
    groups : int
    """
    return convolved(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


@public(method=False, out=False)
def kl_div(input: Any, target: Any, reduction: int = 0, *, log_target: bool = False) -> Any:
    """Return the Kullback–Leibler divergence of `target` from `exp(input)`."""
    each = regression_loss.kl_div(input, target, reduction="none", log_target=log_target)
    return apply_reduction(each, _reduction(reduction))  # without the warning of torch.nn.functional's mean


@public(method=False, out=False)
def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = 0
) -> Any:
    """Return the binary cross entropy of `sigmoid(input)`."""
    return classification_loss.logits_loss(input, target, weight, pos_weight, _reduction(reduction))


@public(method=False, out=False)
def poisson_nll_loss(input: Any, target: Any, log_input: bool, full: bool, eps: float, reduction: int) -> Any:
    """Return the negative log likelihood of a Poisson distribution."""
    return regression_loss.poisson_nll_loss(
        input, target, log_input, full, eps=eps, reduction=_reduction(reduction)
    )


@public(method=False, out=False)
def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = 0
) -> Any:
    """Return 1 − cos(x₁, x₂) where the target is 1, max(0, cos(x₁, x₂) − margin) where it is −1."""
    return distance_loss.cosine_embedding_loss(
        input1, input2, target, margin, reduction=_reduction(reduction)
    )


@public(method=False, out=False)
def hinge_embedding_loss(input: Any, target: Any, margin: float = 1.0, reduction: int = 0) -> Any:
    """Return x where the target is 1, max(0, margin − x) where it is −1."""
    return distance_loss.hinge_embedding_loss(input, target, margin, reduction=_reduction(reduction))


@public(method=False, out=False)
def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = 0
) -> Any:
    """Return max(0, −y·(x₁ − x₂) + margin)."""
    return distance_loss.ranking_loss(input1, input2, target, margin, _reduction(reduction))


@public(method=False, out=False)
def triplet_margin_loss(
    anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
    swap: bool = False, reduction: int = 0,
) -> Any:  # fmt: skip
    """Return max(0, ‖a − p‖ − ‖a − n‖ + margin)."""
    return distance_loss.triplet_margin_loss(
        anchor, positive, negative, margin, p, eps, swap, reduction=_reduction(reduction)
    )
