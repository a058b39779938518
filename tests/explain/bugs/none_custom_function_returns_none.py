"""A custom function returns None for an input that is trained."""

from typing import Any

import pullback as torch
from pullback import explain


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, w: Any) -> Any:
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        _, w = ctx.saved_tensors
        return g * w, None  # <-- culprit


x = torch.ones(3, requires_grad=True)
w = torch.ones(3, requires_grad=True)
loss = Scale.apply(x, w * 2).sum()
loss.backward()
answer = explain.why_none(w)
