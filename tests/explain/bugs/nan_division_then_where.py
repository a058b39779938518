"""0/0 is replaced after the division.

https://github.com/pytorch/pytorch/issues/16317
"""

import pullback as torch
from pullback import explain

x = torch.tensor([0.0, 1.0], requires_grad=True)
n = torch.tensor([0.0, 2.0])
y = x / n  # <-- culprit
y = torch.where(n == 0, torch.zeros_like(y), y)
y.sum().backward(retain_graph=True)
answer = explain.why_nan(x)
