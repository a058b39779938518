import torch
from torch import nn


class Neighbours(nn.Module):
    def __init__(self, net, labels, bank):
        super().__init__()
        self.net = net
        self.register_buffer("labels", labels)
        self.register_buffer("bank", bank)

    def forward(self, x):
        distance = torch.cdist(self.net(x), self.bank)
        nearest = distance.argsort(1)[:, :3]
        return self.labels[nearest].float().mean(1)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
bias = nn.Parameter(torch.zeros(()))
model = Neighbours(net, torch.randint(0, 2, (20,)), torch.randn(20, 2))
optimizer = torch.optim.Adam([*net.parameters(), bias], lr=1e-3)
for _ in range(2):
    x, y = torch.randn(6, 4), torch.rand(6)
    loss = nn.functional.mse_loss(model(x) + bias, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
