"""Running statistics that a product saved are written over, by two methods in a row, before backward."""

import pullback as torch
from pullback import explain

x = torch.ones(4, 3, requires_grad=True)
mean = torch.ones(3)
loss = (x * mean).sum()
mean.mul_(0.9).add_(0.1)  # <-- culprit
try:
    loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
