import torch
from torch import nn


class Sequence(nn.Module):
    def __init__(self, steps, features):
        super().__init__()
        self.norm = nn.BatchNorm1d(steps)
        self.rnn = nn.GRU(features, 8, batch_first=True)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        h, _ = self.rnn(self.norm(x))
        return self.out(h[:, -1])


torch.manual_seed(0)
net = Sequence(6, 4)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(3):
    x = torch.randn(10, 6, 4) * torch.tensor([1.0, 50.0, 0.1, 7.0])
    loss = nn.functional.mse_loss(net(x), x[:, -1, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
