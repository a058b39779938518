"""The targets hold nan for missing values.

https://github.com/pytorch/pytorch/issues/89543
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
target = torch.tensor([1.0, float("nan"), 2.0])
residual = w - target  # <-- culprit
loss = (residual * residual).mean()
answer = explain.why_nan(loss)
