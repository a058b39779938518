"""The output of a sigmoid is clamped in place.

https://github.com/lzx1413/PytorchSSD/issues/72
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
layer = torch.nn.Linear(3, 2)
p = torch.sigmoid(layer(torch.randn(4, 3)))
entropy = -(p * p.log()).sum()
p.clamp_(min=0.01)  # <-- culprit
loss = entropy + p.sum()
try:
    loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
