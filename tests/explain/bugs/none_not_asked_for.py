"""The input's gradient is wanted, but nobody asked for it.

https://github.com/uber-research/UPSNet/issues/24
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
x = torch.randn(2, 3)  # <-- culprit
loss = model(x).sum()
loss.backward()
answer = explain.why_none(x)
