"""The weight of a loss is 0 at the start of a schedule.

https://discuss.pytorch.org/t/how-to-combine-multiple-criterions-to-a-loss-function/348
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
epoch = 0
weight = epoch / 10
regular = (w**2).sum()
loss = weight * regular  # <-- culprit
loss.backward(retain_graph=True)
answer = explain.why_zero(w)
