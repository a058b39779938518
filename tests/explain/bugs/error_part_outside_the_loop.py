"""A part of the graph is built once, outside the training loop.

https://github.com/zhangyu2234/Deep-learning-by-hand
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
true_w = torch.randn(2, 1, requires_grad=True)
w = torch.zeros(2, 1, requires_grad=True)
x = torch.randn(8, 2)
y = torch.exp(x @ true_w)  # <-- culprit
try:
    for _ in range(2):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
