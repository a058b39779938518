"""The output relu is dead: its input is negative for all samples.

https://github.com/ecmwf/anemoi-core/issues/244
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
x = torch.rand(8, 3)
bias = torch.tensor(-50.0, requires_grad=True)
before = x @ w + bias
out = torch.relu(before)  # <-- culprit
loss = ((out - 1.0) ** 2).mean()
loss.backward(retain_graph=True)
answer = explain.why_zero(w)
