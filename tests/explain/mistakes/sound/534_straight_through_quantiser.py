import torch
from torch import nn


class Quantiser(nn.Module):
    def __init__(self, codes, size):
        super().__init__()
        self.codes = nn.Embedding(codes, size)

    def forward(self, z):
        index = torch.cdist(z, self.codes.weight).argmin(1)
        picked = self.codes(index)
        loss = (picked - z.detach()).pow(2).mean() + 0.25 * (picked.detach() - z).pow(2).mean()
        return z + (picked - z).detach(), loss


torch.manual_seed(0)
encoder, decoder, quantiser = nn.Linear(6, 3), nn.Linear(3, 6), Quantiser(8, 3)
modules = nn.ModuleList([encoder, decoder, quantiser])
optimizer = torch.optim.Adam(modules.parameters(), lr=1e-3)
for _ in range(4):
    x = torch.randn(10, 6)
    z, extra = quantiser(encoder(x))
    loss = (decoder(z) - x).pow(2).mean() + extra
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
