"""Define autograd functions behind layers: torch7's local response normalisation, identities of hooks."""

from typing import Any

from ...autograd.function import Function
from ...tensor.namespace import TOP_LEVEL
from .hooked_call import BackwardHookFunction


class CrossMapLRN2d(Function):
    """``x · (k + alpha / size · Σ x²)^−beta``, with the sum over neighbouring channels.

    The sum is torch's, a running one that never lets go of the first channel; the derivative is torch's too,
    that of the sum which does.
    """

    @staticmethod
    def forward(
        ctx: Any, input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1
    ) -> Any:
        """Normalise (N, C, H, W)."""
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        reach = int((size - 1) / 2 + 1)
        window = _band(input, 1 - reach, reach - 1)
        window[reach:, 0] = 1
        scale = _over_channels(window, input * input) * (alpha / size) + k
        output = scale**-beta * input
        ctx.size, ctx.alpha, ctx.beta = size, alpha, beta
        ctx.save_for_backward(input, output, scale)
        return output

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        """Return the covector times the derivative."""
        input, output, scale = ctx.saved_tensors
        before = int(ctx.size - (ctx.size - 1) / 2)
        ratio = _over_channels(_band(input, -before, ctx.size - 1 - before), grad_output * output / scale)
        factor = 2 * ctx.alpha * ctx.beta / ctx.size
        return scale**-ctx.beta * grad_output - factor * input * ratio, None, None, None, None


def _band(input: Any, first: int, last: int) -> Any:
    """Return the matrix that sums channels from `first` to `last` places away."""
    channels = input.shape[1]
    ones = TOP_LEVEL["ones"](channels, channels, dtype=input.dtype)
    return ones.triu(first).tril(last)


def _over_channels(matrix: Any, values: Any) -> Any:
    return TOP_LEVEL["einsum"]("cd,ndhw->nchw", matrix, values).contiguous()


__all__ = ["BackwardHookFunction", "CrossMapLRN2d"]
