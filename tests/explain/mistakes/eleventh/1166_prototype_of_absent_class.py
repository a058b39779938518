import torch
from torch import nn


def prototypes(z, y, ways):
    return torch.stack([z[y == k].mean(0) for k in range(ways)])


torch.manual_seed(0)
embed = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4))
opt = torch.optim.Adam(embed.parameters(), lr=1e-3)
support, query = torch.randn(9, 6), torch.randn(5, 6)
support_y = torch.tensor([0, 0, 0, 1, 1, 1, 3, 3, 3])
query_y = torch.tensor([0, 1, 3, 3, 0])
centres = prototypes(embed(support), support_y, 4)
distance = (embed(query)[:, None] - centres[None]).pow(2).sum(-1)
loss = nn.functional.cross_entropy(-distance, query_y)
opt.zero_grad()
loss.backward()
opt.step()
