import torch
import torch.nn as nn


class DecayNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, t):
        return self.net(t)


def residual(model, t, k):
    u = model(t)
    du, = torch.autograd.grad(u.sum(), t, create_graph=True)
    return du + k * u


torch.manual_seed(0)
model = DecayNet()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
t = torch.linspace(0, 1, 10).unsqueeze(1)
for _ in range(3):
    loss = residual(model, t, 2.0).pow(2).mean() + (model(t[:1]) - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
