"""A sigmoid far out, and a loss on its result.

https://github.com/rogertrullo/Receptive-Field-in-Pytorch/issues/3
"""

import pullback as torch
from pullback import explain

logit = torch.tensor([60.0, 80.0], requires_grad=True)
p = torch.sigmoid(logit)  # <-- culprit
loss = ((p - 0.0) ** 2).mean()
loss.backward()
answer = explain.why_zero(logit)
