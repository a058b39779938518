"""The number of counts depends on the labels of a batch."""

import pullback as torch
from pullback import explain

net = torch.nn.Linear(2, 3)
y = torch.tensor([0, 1, 1])
counts = torch.bincount(y)  # <-- culprit
weight = 1 / counts.float()
try:
    torch.nn.functional.cross_entropy(net(torch.randn(3, 2)), y, weight=weight)
except RuntimeError as error:
    answer = explain.why_error(error)
