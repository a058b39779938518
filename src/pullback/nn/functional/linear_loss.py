"""Cross entropy of a linear layer's outputs, as one function."""

import math
from dataclasses import dataclass
from typing import Any

from ...array import dtypes
from ...array.dtypes import from_numpy_dtype
from ...autograd.function import Function
from ...core.value import dtype_of, shape_of
from ...core.warn import warn
from ...tensor.api import public
from ...tensor.product_sums import linear
from .classification_loss import cross_entropy

_POLICIES = ("auto", "accurate", "balanced", "compact")


@dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """Tell :func:`linear_cross_entropy` how to go through the batch in chunks.

    Chunks save memory: gradients are found with the loss, and no chunk's logits are kept. As in torch, they
    are constants then, without derivatives of their own; a loss for each row (``reduction="none"``) is
    computed at once.

    Attributes
    ----------
    allow_retain_graph : bool
        Whether `backward` may run twice.
    batch_chunk_size : int, optional
        Rows per chunk.
    chunking_method : str, optional
        "auto", "aspect_ratio" or "aspect_ratio:N": a rule for the rows per chunk.
    acc_policy : {"auto", "accurate", "balanced", "compact"}
    acc_dtype : dtype, optional
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None

    def __post_init__(self) -> None:
        if self.acc_policy not in _POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method not in (None, "auto"):
            name, colon, factor = self.chunking_method.partition(":")
            divides = not colon or (factor.isdigit() and int(factor) > 0)
            if name != "aspect_ratio" or not divides:
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        floating = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
        if self.acc_dtype is not None and self.acc_dtype not in floating:
            raise ValueError(
                "acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, "
                "torch.float64}, "
                f"got {self.acc_dtype!r}. Pass acc_dtype=None to let the op pick automatically."
            )

    def rows(self, batch: int, features: int, classes: int) -> int:
        """Return the rows of a chunk; torch's error where their number and the rule for it disagree."""
        size, method = self.batch_chunk_size, self.chunking_method or "auto"
        if size is not None and method == "auto":
            return size
        factor = int(method.partition(":")[2] or 1)
        rows = math.ceil(batch / math.ceil(classes / features))
        by_rule = min((1 << (rows - 1).bit_length()) // factor, batch)
        if size not in (None, by_rule):
            raise ValueError(
                f"batch_chunk_size (={size}) and chunking_method ('{method}') give different chunk sizes "
                f"({size} vs {by_rule}); pass only one."
            )
        return max(by_rule, 1)


class GeneratedBackwardFor_torch_nn__linear_cross_entropy_batch_chunked_default(Function):
    """The loss and its three gradients, chunk after chunk of the batch; torch's name for the node."""

    @staticmethod
    def forward(
        ctx: Any, input: Any, linear_weight: Any, target: Any, linear_bias: Any, weight: Any,
        ignore_index: int, mean: bool, rows: int, allow_retain_graph: bool,
    ) -> Any:  # fmt: skip
        ctx.spent, ctx.allow_retain_graph = False, allow_retain_graph
        asked = any(ctx.needs_input_grad)
        dtype = input.dtype
        wide = dtypes.float32 if dtype in (dtypes.float16, dtypes.bfloat16) else dtype
        loss, total = input.new_zeros((), dtype=wide), input.new_zeros((), dtype=wide)
        by_input = input.new_zeros(input.shape)
        by_weight = linear_weight.new_zeros(linear_weight.shape, dtype=wide)
        by_bias = by_weight.new_zeros(len(by_weight))
        for start in range(0, len(input), rows):
            length = min(rows, len(input) - start)
            x, y = input.narrow(0, start, length), target.narrow(0, start, length)
            kept = y != ignore_index
            y = y.where(kept, 0)
            chances = linear(x, linear_weight, linear_bias).to(wide).log_softmax(1)
            factor = kept.to(wide) if weight is None else weight.to(wide)[y] * kept
            y, factor = y.unsqueeze(1), factor.unsqueeze(1)
            loss -= (chances.gather(1, y) * factor).sum()
            total += factor.sum()
            if asked:
                pulled = (chances.exp() * factor).scatter_add(1, y, -factor)
                by_input[start : start + length] = pulled.to(dtype) @ linear_weight
                by_weight += pulled.t() @ x.to(wide)
                by_bias += pulled.sum(0)
        divisor = total if mean else 1
        ctx.gradients = [(g / divisor).to(dtype) for g in (by_input, by_weight, by_bias)]
        return (loss / divisor).to(dtype)

    @staticmethod
    def backward(ctx: Any, *covectors: Any) -> Any:
        if ctx.spent and not ctx.allow_retain_graph:
            raise RuntimeError(
                "linear_cross_entropy chunked backward called twice; retain_graph=True / double backward are "
                "not supported."
            )
        ctx.spent = True
        needed = ctx.needs_input_grad
        by_input, by_weight, by_bias = (
            g * covectors[0] if needed[place] else None
            for g, place in zip(ctx.gradients, (0, 1, 3), strict=True)
        )
        return by_input, by_weight, None, by_bias, *(None,) * 5


def _check(input: Any, weight: Any, bias: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shapes of the batch and of each class's outputs; torch's error where shapes do not fit."""
    if not 1 <= input.dim() <= 2:
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if weight.dim() < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {weight.dim()}")
    x, w = shape_of(input), shape_of(weight)
    if x[-1] != w[-1]:
        raise RuntimeError(
            f"expected equal input and linear_weight last dimensions (in_features), got {x[-1]} and {w[-1]}, "
            "respectively"
        )
    if bias is not None and tuple(bias.shape) != w[:-1]:
        raise RuntimeError(f"expected linear_bias shape {w[:-1]}, got {tuple(bias.shape)}")
    if len(w) > 2 and len(x) == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {w} requires batched input, (N, {x[-1]}), "
            f"got unbatched input with shape {x}"
        )
    return x[:-1], w[1:-1]


@public(namespace="nn.functional", method=False, out=False)
def linear_cross_entropy(
    input: Any, linear_weight: Any, target: Any, *, linear_bias: Any = None, weight: Any = None,
    reduction: str = "mean", ignore_index: int | None = None, label_smoothing: float = 0.0,
    options: LinearCrossEntropyOptions | None = None,
) -> Any:  # fmt: skip
    """Return ``cross_entropy(linear(input, linear_weight, linear_bias), target)``.

    Parameters
    ----------
    input : tensor
        (N, F) or (F,).
    linear_weight : tensor
        (C, F), or (C, *K, F) for K losses a row.
    target : tensor
        (N, *K) class indices, or (N, C, *K) probabilities.
    linear_bias : tensor, optional
        (C, *K).
    weight : tensor, optional
        (C,), of the classes.
    reduction : {"mean", "sum", "none"}
    ignore_index : int, optional
        A class index that counts nothing.
    label_smoothing : float
    options : LinearCrossEntropyOptions, optional
    """
    batch, outputs = _check(input, linear_weight, linear_bias)
    classes, features = shape_of(linear_weight)[0], shape_of(linear_weight)[-1]
    logits_shape = (*batch, classes, *outputs)
    if target.shape == logits_shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    if options is not None:
        dtype = from_numpy_dtype(dtype_of(target))
        chunks = label_smoothing == 0.0 and dtype is dtypes.int64 and not outputs
        if chunks and reduction in ("mean", "sum", "none"):
            rows = options.rows(batch[0] if batch else 1, features, classes)
            given = (input, linear_weight, linear_bias, target, weight)
            # Below a transform the whole is differentiated as it is written.
            if reduction != "none" and not any(getattr(x, "_level", 0) for x in given):
                if not batch:
                    input, target = input.unsqueeze(0), target.unsqueeze(0)
                return GeneratedBackwardFor_torch_nn__linear_cross_entropy_batch_chunked_default.apply(
                    input, linear_weight, target, linear_bias, weight,
                    -100 if ignore_index is None else ignore_index, reduction == "mean", rows,
                    options.allow_retain_graph,
                )  # fmt: skip
        else:
            bias_shape = None if linear_bias is None else shape_of(linear_bias)
            warn(
                "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in "
                "{'mean','sum','none'}, label_smoothing == 0, target.dtype == int64, out_features == (). Got "
                f"reduction={reduction!r}, label_smoothing={label_smoothing}, target.dtype={dtype}, "
                f"out_features={outputs}, tracing=False, linear_bias.shape={bias_shape}."
            )
    if outputs:
        linear_weight = linear_weight.reshape(-1, features)
        linear_bias = None if linear_bias is None else linear_bias.reshape(-1)
    logits = linear(input, linear_weight, linear_bias).reshape(logits_shape)
    return cross_entropy(
        logits, target, weight, ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction, label_smoothing=label_smoothing,
    )  # fmt: skip
