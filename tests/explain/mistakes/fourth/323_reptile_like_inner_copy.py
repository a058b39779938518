import copy
import torch
from torch import nn
import torch.nn.functional as F


def adapted(model, x, y, rate=0.1):
    fast = copy.deepcopy(model)
    inner = torch.optim.SGD(fast.parameters(), lr=rate)
    for _ in range(2):
        inner.zero_grad()
        F.mse_loss(fast(x), y).backward()
        inner.step()
    return fast


torch.manual_seed(0)
learner = nn.Linear(4, 1)
meta = torch.optim.Adam(learner.parameters(), lr=1e-2)
for task in range(3):
    x, y = torch.randn(10, 4), torch.randn(10, 1)
    fast = adapted(learner, x[:5], y[:5])
    meta.zero_grad()
    F.mse_loss(fast(x[5:]), y[5:]).backward()
    meta.step()
