import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, n_in, experts):
        super().__init__()
        self.router = nn.Linear(n_in, experts)
        self.experts = nn.ModuleList([nn.Linear(n_in, 1) for _ in range(experts)])

    def weights(self, x):
        return torch.softmax(self.router(x), dim=0)

    def forward(self, x):
        outs = torch.cat([e(x) for e in self.experts], 1)
        return (self.weights(x) * outs).sum(1)


torch.manual_seed(0)
moe = Gate(4, 3)
opt = torch.optim.Adam(moe.parameters(), lr=1e-2)
x = torch.randn(30, 4)
y = x.abs().sum(1)
for _ in range(20):
    loss = (moe(x) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
probs = moe.weights(x)
