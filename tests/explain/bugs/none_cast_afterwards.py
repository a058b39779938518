"""The dtype is changed after requires_grad was asked for.

https://github.com/pytorch/pytorch/issues/10065
"""

import pullback as torch
from pullback import explain

w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
w1 = w.type(torch.float64)  # <-- culprit
out = torch.mean(w1)
out.backward()
answer = explain.why_none(w1)
