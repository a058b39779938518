"""Define batch normalisation by the statistics of the batches of all processes of a group.

With n_r elements per channel in process r, mean m_r and variance v_r, the batch of all has

    n = Σ n_r,   m = Σ n_r m_r / n,   v = Σ n_r (v_r + (m_r − m)²) / n.

The derivative with respect to the input has the same two sums over the batch as in one process, Σ g and
Σ g x̂, taken over all processes.
"""

from typing import Any

from ...autograd.function import Function
from ...autograd.grad_mode import no_grad
from ...tensor.creation import tensor, zeros
from ...tensor.join import cat, stack


class SyncBatchNorm(Function):
    """Normalise an input by the mean and variance of the group's batches, per channel."""

    @staticmethod
    def forward(
        ctx: Any, x: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, eps: float,
        momentum: float, group: Any,
    ) -> Any:  # fmt: skip
        channels = x.shape[1]
        axes = [axis for axis in range(x.dim()) if axis != 1]
        count = x.numel() // channels
        values = x.float() if x.dtype.itemsize < 4 else x
        if count:
            variance, mean = values.var(axes, unbiased=False), values.mean(axes)
        else:
            variance = mean = zeros(channels, dtype=values.dtype)
        own = cat([mean, variance, tensor([float(count)], dtype=values.dtype)])
        parts = [zeros(own.shape, dtype=own.dtype) for _ in range(group.size())]
        group.allgather(parts, own).wait()
        every = stack(parts)
        means, variances, counts = every[:, :channels], every[:, channels:-1], every[:, -1:]
        if (total := float(counts.sum())) <= 1:
            raise ValueError(f"Expected more than 1 value per channel when training, got {int(total)}")
        mean = (means * counts).sum(0) / total
        variance = ((variances + (means - mean) ** 2) * counts).sum(0) / total
        with no_grad():
            if running_mean is not None:
                running_mean.mul_(1 - momentum).add_(mean.to(running_mean.dtype), alpha=momentum)
            if running_var is not None:
                unbiased = variance * (total / (total - 1))
                running_var.mul_(1 - momentum).add_(unbiased.to(running_var.dtype), alpha=momentum)
        shape = [1, channels] + [1] * (x.dim() - 2)
        inverse = (variance + eps).rsqrt()
        ctx.save_for_backward(x, weight, mean, inverse)
        ctx.group, ctx.total, ctx.shape, ctx.axes = group, total, shape, axes
        ctx.has_bias = bias is not None
        result = (values - mean.view(shape)) * inverse.view(shape)
        if weight is not None:
            result = result * weight.view(shape)
        if bias is not None:
            result = result + bias.view(shape)
        return result.to(x.dtype)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, weight, mean, inverse = ctx.saved_tensors
        shape, axes = ctx.shape, ctx.axes
        normalised = (x.to(mean.dtype) - mean.view(shape)) * inverse.view(shape)
        g = g.to(mean.dtype)
        sums = stack([g.sum(axes), (g * normalised).sum(axes)])
        own = sums.clone()
        ctx.group.allreduce(sums).wait()
        by_sum, by_product = (part.view(shape) / ctx.total for part in sums)
        scale = inverse if weight is None else inverse * weight
        to_input = scale.view(shape) * (g - by_sum - normalised * by_product)
        to_weight = None if weight is None else own[1].to(weight.dtype)
        to_bias = own[0].to(mean.dtype) if ctx.has_bias else None
        return to_input.to(x.dtype), to_weight, to_bias, None, None, None, None, None
