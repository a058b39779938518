"""The states of an LSTM are passed on swapped."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)


class S(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.dec = nn.LSTM(3, 8, batch_first=True), nn.LSTM(3, 8, batch_first=True)
        self.out = nn.Linear(8, 3)
    def forward(self, x, y):
        _, (c, h) = self.enc(x)
        o, _ = self.dec(y, (h, c))  # <-- culprit
        return self.out(o)
net = S()
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(3):
    x = torch.randn(16, 6, 3)
    y = x.flip(1)
    loss = F.mse_loss(net(x, F.pad(y, (0, 0, 1, 0))[:, :-1]), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
