"""A layer is made and never used.

https://github.com/pytorch/pytorch/issues/73697
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
first = torch.nn.Linear(4, 3)
second = torch.nn.Linear(4, 3)  # <-- culprit
loss = first(torch.randn(5, 4)).mean()
loss.backward()
answer = explain.why_none(second.weight)
