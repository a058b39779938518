"""The name stands for a view of a leaf that nobody holds.

https://github.com/pytorch/pytorch/issues/19778
"""

import pullback as torch
from pullback import explain

x = torch.tensor([0.25, 0.75], requires_grad=True).view(2, 1, 1)  # <-- culprit
x.sum().backward()
answer = explain.why_none(x)
