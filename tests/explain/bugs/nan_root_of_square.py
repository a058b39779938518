"""The root of a square at 0 has no slope.

https://github.com/pytorch/pytorch/issues/6394
"""

import pullback as torch
from pullback import explain

x = torch.tensor([1.0, 3.0], requires_grad=True)
d = x - 1
square = d * d
y = torch.sqrt(square)  # <-- culprit
y.sum().backward()
answer = explain.why_nan(x)
