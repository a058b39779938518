"""The gradient by a tensor is asked for that the output was not computed from.

https://github.com/pytorch/pytorch/issues/73697
"""

import pullback as torch
from pullback import explain

x = torch.tensor([1.0, 2.0], requires_grad=True)
z = torch.tensor([3.0, 4.0], requires_grad=True)
y = (x**2).sum()
try:
    torch.autograd.grad(y, [x, z])  # <-- culprit
except RuntimeError as error:
    answer = explain.why_error(error)
