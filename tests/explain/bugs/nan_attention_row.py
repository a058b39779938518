"""A softmax row of -inf in attention; the rows are dropped afterwards.

https://github.com/pytorch/pytorch/issues/41508
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
q = torch.randn(3, 4, requires_grad=True)
k = torch.randn(3, 4, requires_grad=True)
allowed = torch.tensor([[True, False, False], [True, True, False], [False, False, False]])
bias = torch.zeros(3, 3).masked_fill(~allowed, float("-inf"))
scores = q @ k.T + bias
attention = torch.softmax(scores, dim=-1)  # <-- culprit
out = attention @ torch.randn(3, 2)
loss = out[:2].sum()
loss.backward(retain_graph=True)
answer = explain.why_nan(q)
