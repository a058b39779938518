"""A mask is multiplied onto an infinite value.

https://github.com/pytorch/pytorch/issues/52248
"""

import pullback as torch
from pullback import explain

x = torch.tensor([0.0, 1.0], requires_grad=True)
mask = torch.tensor([0.0, 1.0])
loss = (mask * torch.log(x)).sum()  # <-- culprit
answer = explain.why_nan(loss)
