"""Gradient descent starts where the slope is 0.

https://discuss.pytorch.org/t/gradient-is-zero-at-initialization/77777
"""

import pullback as torch
from pullback import explain

x = torch.zeros(3, requires_grad=True)
loss = (x * x).sum()  # <-- culprit
loss.backward()
answer = explain.why_zero(x)
