"""where takes the safe branch, but the gradient of the other one is still computed.

https://github.com/pytorch/pytorch/issues/187297
"""

import pullback as torch
from pullback import explain

xt = torch.tensor([-1.0, -4.0], requires_grad=True)
root = torch.sqrt(xt)  # <-- culprit
y = torch.where(xt > 0, root, xt).sum()
y.backward()
answer = explain.why_nan(xt)
