"""The .grad of a first backward is used in a second loss.

https://github.com/tinygrad/tinygrad/issues/2584
"""

import pullback as torch
from pullback import explain

x = torch.tensor([1.0, 2.0], requires_grad=True)
energy = (x**3).sum()
energy.backward()
force = -x.grad  # <-- culprit
loss = (force - 1.0).square().sum()
try:
    loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
