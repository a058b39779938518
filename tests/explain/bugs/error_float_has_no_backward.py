"""The loss is turned into a number before backward.

https://github.com/swz30/MPRNet/issues/108
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
prediction = model(torch.randn(5, 4))
loss = prediction.square().mean().item()  # <-- culprit
try:
    loss.backward()
except AttributeError as error:
    answer = explain.why_error(error)
