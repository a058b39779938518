"""The state of the first of two layers is read."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)
rnn, out = nn.GRU(4, 6, num_layers=2), nn.Linear(6, 2)
opt = torch.optim.SGD([*rnn.parameters(), *out.parameters()], lr=0.1)
x, y = torch.randn(5, 8, 4), torch.randint(0, 2, (8,))
for _ in range(3):
    _, h = rnn(x)
    loss = F.cross_entropy(out(h[0]), y)  # <-- culprit
    opt.zero_grad()
    loss.backward()
    opt.step()
