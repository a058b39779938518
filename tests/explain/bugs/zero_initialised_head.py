"""Weights that start at 0 pass no gradient on.

https://github.com/lucidrains/deep-cross-attention/issues/2
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
x = torch.randn(4, 3)
first = torch.randn(3, 3, requires_grad=True)
second = torch.zeros(3, 1, requires_grad=True)
hidden = torch.tanh(x @ first)
out = hidden @ second  # <-- culprit
loss = ((out - 1.0) ** 2).mean()
loss.backward(retain_graph=True)
answer = explain.why_zero(first)
