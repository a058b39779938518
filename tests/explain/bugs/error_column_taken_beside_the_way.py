"""The derivative by a column is asked for, which was taken from the input beside the way to the output."""

import pullback as torch
from pullback import explain

x = torch.ones(4, 2, requires_grad=True)
u = x.square().sum(1)
t = x[:, 0]  # <-- culprit
try:
    torch.autograd.grad(u.sum(), t)
except RuntimeError as error:
    answer = explain.why_error(error)
