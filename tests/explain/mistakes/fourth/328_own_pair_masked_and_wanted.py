import torch
import torch.nn.functional as F
from torch import nn


def info_nce(z, temperature=0.2):
    z = F.normalize(z, dim=1)
    similarity = z @ z.T / temperature
    similarity = similarity.masked_fill(torch.eye(len(z), dtype=torch.bool), float("-inf"))
    return F.cross_entropy(similarity, torch.arange(len(z)))


torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(7, 12), nn.ReLU(), nn.Linear(12, 4))
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
x = torch.randn(6, 7)
loss = info_nce(encoder(torch.cat([x, x + 0.1])))
optimizer.zero_grad()
loss.backward()
print(loss)
