import torch
from torch import nn


class Wave(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, x, t):
        return self.net(torch.cat([x, t], dim=1))


def residual(model, x, t, speed):
    u = model(x, t)
    u_t, = torch.autograd.grad(u.sum(), t, retain_graph=True)
    u_x, = torch.autograd.grad(u.sum(), x, create_graph=True)
    u_tt, = torch.autograd.grad(u_t.sum(), t, create_graph=True)
    u_xx, = torch.autograd.grad(u_x.sum(), x, create_graph=True)
    return u_tt - speed ** 2 * u_xx


torch.manual_seed(0)
model = Wave()
x, t = torch.rand(10, 1, requires_grad=True), torch.rand(10, 1, requires_grad=True)
loss = residual(model, x, t, 2.0).pow(2).mean()
loss.backward()
