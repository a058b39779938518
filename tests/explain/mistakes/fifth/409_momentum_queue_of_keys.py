import torch
import torch.nn.functional as F
from torch import nn


class MoCo(nn.Module):
    def __init__(self, size, length):
        super().__init__()
        self.encoder = nn.Linear(8, size)
        self.queue = F.normalize(torch.randn(length, size), dim=1)

    def forward(self, a, b):
        q, k = F.normalize(self.encoder(a), dim=1), F.normalize(self.encoder(b), dim=1)
        logits = torch.cat([(q * k).sum(1, keepdim=True), q @ self.queue.T], dim=1) / 0.1
        self.queue = torch.cat([self.queue[len(k):], k])
        return F.cross_entropy(logits, torch.zeros(len(q), dtype=torch.long))


torch.manual_seed(0)
model = MoCo(4, 12)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    x = torch.randn(4, 8)
    loss = model(x, x + 0.1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
