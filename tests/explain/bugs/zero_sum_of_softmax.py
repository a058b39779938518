"""The loss is the sum of a softmax, which is always 1.

https://github.com/harvard-edge/cs249r_book/pull/2053
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
x = torch.randn(4, dtype=torch.float64, requires_grad=True)
p = torch.softmax(x, dim=0)  # <-- culprit
loss = p.sum()
loss.backward(retain_graph=True)
answer = explain.why_zero(x)
