"""The loss keeps one number per sample.

https://github.com/eriklindernoren/PyTorch-YOLOv3/issues/331
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
loss = (model(torch.randn(6, 4)) - 1.0) ** 2
try:
    loss.backward()  # <-- culprit
except RuntimeError as error:
    answer = explain.why_error(error)
