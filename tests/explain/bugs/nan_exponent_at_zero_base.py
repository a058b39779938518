"""The slope by the exponent holds the log of the base.

https://github.com/pytorch/pytorch/issues/27134
"""

import pullback as torch
from pullback import explain

base = torch.tensor([0.0, 2.0], requires_grad=True)
exponent = torch.tensor([0.5, 0.5], requires_grad=True)
c = base**exponent  # <-- culprit
c.sum().backward()
answer = explain.why_nan(base)
