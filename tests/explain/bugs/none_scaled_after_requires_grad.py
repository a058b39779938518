"""requires_grad is asked for before the tensor is scaled, so the name stands for a result.

https://github.com/pytorch/pytorch/issues/140469
"""

import pullback as torch
from pullback import explain

images = torch.randn(4, 3, requires_grad=True) * 0.01  # <-- culprit
loss = (images**2).sum()
loss.backward()
answer = explain.why_none(images)
