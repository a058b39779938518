"""The covector has the shape of the input, not of the output.

https://github.com/PRBonn/LiDAR-MOS/issues/35
"""

import pullback as torch
from pullback import explain

x = torch.ones(3, requires_grad=True)
weight = torch.ones(2, 3)
y = weight @ x
try:
    y.backward(torch.ones(3))  # <-- culprit
except RuntimeError as error:
    answer = explain.why_error(error)
