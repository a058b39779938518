"""The covector is made with zeros_like instead of ones_like.

https://github.com/pytorch/pytorch/issues/17893
"""

import pullback as torch
from pullback import explain

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x**3
v = torch.zeros_like(y)
y.backward(v)  # <-- culprit
answer = explain.why_zero(x)
