"""The deviation of a constant is a root at 0.

https://github.com/pytorch/pytorch/issues/4320
"""

import pullback as torch
from pullback import explain

a = torch.ones(4, 3, requires_grad=True)
b = torch.sqrt(a.var(dim=0)).mean()  # <-- culprit
b.backward()
answer = explain.why_nan(a)
