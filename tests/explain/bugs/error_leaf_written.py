"""A parameter is updated in place without no_grad.

https://github.com/pytorch/examples/pull/779
"""

import pullback as torch
from pullback import explain

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w**2).sum()
loss.backward()
try:
    w -= 0.1 * w.grad  # <-- culprit
except RuntimeError as error:
    answer = explain.why_error(error)
