import torch
from torch import nn


class Quantiser(nn.Module):
    def __init__(self, codes, width):
        super().__init__()
        self.book = nn.Parameter(torch.randn(codes, width))

    def forward(self, z):
        return torch.cdist(z, self.book).argmin(1)


torch.manual_seed(0)
encoder, quantiser = nn.Linear(6, 3), Quantiser(7, 3)
table = torch.linspace(-1, 1, 7)
opt = torch.optim.Adam([*encoder.parameters(), *quantiser.parameters()], lr=1e-2)
x, y = torch.randn(12, 6), torch.rand(12)
for _ in range(2):
    loss = (table[quantiser(encoder(x))] - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
