import torch
from torch import nn


class MultiDomain(nn.Module):
    def __init__(self, domains):
        super().__init__()
        self.body = nn.Linear(4, 12)
        self.heads = {d: nn.Linear(12, 2) for d in domains}

    def forward(self, x, domain):
        return self.heads[domain](torch.tanh(self.body(x)))


torch.manual_seed(0)
net = MultiDomain("ab")
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(8):
    for domain in "ab":
        x, y = torch.randn(16, 4), torch.randint(0, 2, (16,))
        loss = nn.functional.cross_entropy(net(x, domain), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
