import torch
from torch import nn


class Perceptual(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3))
        self.log_scale = nn.Parameter(torch.zeros(()))

    @torch.no_grad()
    def embed(self, x):
        return self.features(x)

    def forward(self, x, y):
        return (self.embed(x) - self.embed(y)).abs().mean() * self.log_scale.exp()


torch.manual_seed(0)
net, loss_fn = nn.Conv2d(1, 1, 3, padding=1), Perceptual()
optimizer = torch.optim.Adam([*net.parameters(), loss_fn.log_scale], lr=1e-3)
blurred, sharp = torch.rand(2, 1, 8, 8), torch.rand(2, 1, 8, 8)
for _ in range(2):
    optimizer.zero_grad()
    loss_fn(net(blurred), sharp).backward()
    optimizer.step()
