import torch
import torch.nn as nn


class Potential(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 12), nn.Tanh(), nn.Linear(12, 1))

    def forward(self, xy):
        return self.net(xy)


def velocity(model, xy):
    x, y = xy[:, :1], xy[:, 1:]
    phi = model(xy)
    u, = torch.autograd.grad(phi.sum(), x, create_graph=True)
    v, = torch.autograd.grad(phi.sum(), y, create_graph=True)
    return u, v


torch.manual_seed(0)
model = Potential()
points = torch.rand(10, 2, requires_grad=True)
u, v = velocity(model, points)
loss = (u ** 2 + v ** 2).mean()
loss.backward()
