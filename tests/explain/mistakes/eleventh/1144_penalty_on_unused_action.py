import torch
from torch import nn


class Q(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, state, action):
        return self.net(state)


torch.manual_seed(0)
q = Q()
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
state, action = torch.randn(8, 3), torch.randn(8, 2, requires_grad=True)
value = q(state, action)
(slope,) = torch.autograd.grad(value.sum(), action, create_graph=True)
loss = value.mean() + slope.pow(2).sum(1).mean()
loss.backward()
opt.step()
