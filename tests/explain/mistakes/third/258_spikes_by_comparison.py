import torch
from torch import nn


class Spiking(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp, self.out = nn.Linear(6, 12), nn.Linear(12, 2)

    def forward(self, x, steps=4):
        potential = torch.zeros(x.shape[0], 12)
        total = 0
        for _ in range(steps):
            potential = 0.9 * potential + self.inp(x)
            spikes = (potential > 1.0).float()
            potential = potential * (1 - spikes)
            total = total + self.out(spikes)
        return total / steps


torch.manual_seed(0)
net = Spiking()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
x, y = 3 * torch.randn(8, 6), torch.randint(0, 2, (8,))
for _ in range(3):
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    optimizer.step()
