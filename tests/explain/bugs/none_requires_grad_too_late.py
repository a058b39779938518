"""requires_grad is set after the value was used.

https://github.com/pytorch/pytorch/issues/12627
"""

import pullback as torch
from pullback import explain

x = torch.tensor([1.0, 2.0])
w = torch.tensor([3.0, 4.0], requires_grad=True)
y = x * w
x.requires_grad_()  # <-- culprit
y.sum().backward()
answer = explain.why_none(x)
