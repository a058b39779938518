import torch
from torch import nn


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, t, x):
        return self.net(torch.stack([t, x], dim=1)).squeeze(1)


def residual(field, t, x):
    u = field(t, x)
    u_t, u_x = torch.autograd.grad(u, (t, x), create_graph=True)
    u_xx, = torch.autograd.grad(u_x.sum(), x, create_graph=True)
    return u_t - 0.1 * u_xx


torch.manual_seed(0)
field = Field()
optimizer = torch.optim.Adam(field.parameters(), lr=1e-3)
t, x = torch.rand(9, requires_grad=True), torch.rand(9, requires_grad=True)
loss = residual(field, t, x).pow(2).mean()
optimizer.zero_grad()
loss.backward()
optimizer.step()
