"""The mask of the loss has no True in it.

https://github.com/lliuz/ARFlow/issues/41
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
prediction = torch.randn(4, requires_grad=True)
valid = torch.zeros(4, dtype=torch.bool)
kept = torch.where(valid, prediction, torch.zeros(4))  # <-- culprit
loss = (kept - 1.0).square().mean()
loss.backward(retain_graph=True)
answer = explain.why_zero(prediction)
