"""Each sample is held against each, and the last one is the right one for all."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)
a, b = nn.Linear(6, 4), nn.Linear(5, 4)
opt = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
x, y = torch.randn(8, 6), torch.randn(8, 5)
for _ in range(3):
    scores = a(x) @ b(y).T
    right = torch.full((8,), 7)  # <-- culprit
    loss = F.cross_entropy(scores, right)
    opt.zero_grad()
    loss.backward()
    opt.step()
