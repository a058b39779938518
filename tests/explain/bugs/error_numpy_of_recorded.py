"""numpy() of a tensor that requires grad.

https://github.com/pytorch/pytorch/issues/44023
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
y = model(torch.randn(3, 2))
try:
    values = y.numpy()  # <-- culprit
except RuntimeError as error:
    answer = explain.why_error(error)
