"""Gamma correction of black pixels.

https://github.com/tensorflow/tensorflow/issues/2295
"""

import pullback as torch
from pullback import explain

pixels = torch.tensor([0.0, 0.3, 0.8], requires_grad=True)
linear = pixels.clamp(0.0, 1.0)
gamma = linear ** (1 / 2.4)  # <-- culprit
loss = gamma.sum()
loss.backward(retain_graph=True)
answer = explain.why_nan(pixels)
