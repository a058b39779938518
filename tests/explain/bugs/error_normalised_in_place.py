"""Weights are divided in place after they were used.

https://github.com/huggingface/transformers/pull/24529
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
scale = w.exp()
total = (scale * scale).sum()
scale /= total.detach()  # <-- culprit
loss = total + scale.sum()
try:
    loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
