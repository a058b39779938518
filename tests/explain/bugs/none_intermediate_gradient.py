"""The gradient of a result is wanted without retain_grad.

https://discuss.pytorch.org/t/why-cant-i-see-grad-of-an-intermediate-variable/94
"""

import pullback as torch
from pullback import explain

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * x  # <-- culprit
loss = h.sum()
loss.backward()
answer = explain.why_none(h)
