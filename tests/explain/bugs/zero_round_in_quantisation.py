"""Quantisation rounds without a straight-through gradient.

https://github.com/tinygrad/tinygrad/pull/15925
"""

import pullback as torch
from pullback import explain

w = torch.tensor([0.3, 1.7, -2.2], requires_grad=True)
quantised = torch.round(w * 8) / 8  # <-- culprit
loss = (quantised**2).sum()
loss.backward()
answer = explain.why_zero(w)
