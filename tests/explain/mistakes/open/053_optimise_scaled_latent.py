import torch
import torch.nn as nn


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8))

    def forward(self, z):
        return self.net(z)


def project(generator, target, steps=5):
    z = torch.randn(1, 4, requires_grad=True) * 0.5
    optimizer = torch.optim.Adam([z], lr=0.05)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (generator(z) - target).pow(2).mean()
        loss.backward()
        optimizer.step()
    return z.detach()


torch.manual_seed(0)
print(project(Generator(), torch.randn(1, 8)))
