"""A tensor of integers cannot have a gradient.

https://github.com/meta-llama/llama/issues/122
"""

import pullback as torch
from pullback import explain

x = torch.tensor([1, 2, 3])  # <-- culprit
w = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)
loss = (w * x).sum()
loss.backward()
answer = explain.why_none(x)
