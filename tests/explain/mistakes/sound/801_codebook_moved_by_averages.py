import torch
from torch import nn


class Codes(nn.Module):
    def __init__(self, count, size):
        super().__init__()
        self.table = nn.Embedding(count, size)

    def forward(self, z):
        index = torch.cdist(z, self.table.weight).argmin(1)
        picked = self.table(index)
        if self.training:
            with torch.no_grad():
                for k in index.unique():
                    self.table.weight[k] = 0.9 * self.table.weight[k] + 0.1 * z[index == k].mean(0)
        return z + (picked - z).detach(), nn.functional.mse_loss(z, picked.detach())

torch.manual_seed(0)
enc, codes, dec = nn.Linear(6, 3), Codes(8, 3), nn.Linear(3, 6)
model = nn.ModuleList([enc, codes, dec])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(4):
    x = torch.randn(10, 6)
    z, extra = codes(enc(x))
    loss = (dec(z) - x).pow(2).mean() + 0.25 * extra
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
