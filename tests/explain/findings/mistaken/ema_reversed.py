"""An average takes nearly all of the new weights."""

import copy

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(5, 3)
ema = copy.deepcopy(net)
opt = torch.optim.SGD(net.parameters(), 1e-2)
for _ in range(5):
    x, y = torch.randn(12, 5), torch.randint(0, 3, (12,))
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for p, q in zip(ema.parameters(), net.parameters()):
            p.mul_(0.01).add_(q, alpha=0.99)  # <-- culprit
