"""as_tensor of a list keeps no history, though its documentation speaks of it.

https://github.com/pytorch/pytorch/issues/155983
"""

import pullback as torch
from pullback import explain

a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
scale = torch.tensor(1.0, requires_grad=True)
c = torch.as_tensor([a, b])  # <-- culprit
loss = (c * scale).sum()
loss.backward()
answer = explain.why_none(a)
