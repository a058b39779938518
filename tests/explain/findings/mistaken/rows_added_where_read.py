"""Messages are added up at the nodes that they were read at."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)
lin = nn.Linear(3, 3)
opt = torch.optim.SGD(lin.parameters(), lr=0.1)
x, src, dst = torch.randn(6, 3), torch.randint(0, 6, (20,)), torch.randint(0, 6, (20,))
y = torch.zeros(6, 3).index_add(0, dst, x[src])
for _ in range(3):
    out = torch.zeros(6, 3).scatter_add(0, src[:, None].expand(20, 3), lin(x[src]))  # <-- culprit
    loss = F.mse_loss(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
