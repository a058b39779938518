import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
momentum = copy.deepcopy(encoder).requires_grad_(False)
queue = F.normalize(torch.randn(12, 4), dim=1)
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.05, momentum=0.9)
for _ in range(5):
    x = torch.randn(4, 8)
    q = F.normalize(encoder(x + 0.1 * torch.randn_like(x)), dim=1)
    with torch.no_grad():
        for old, new in zip(momentum.parameters(), encoder.parameters()):
            old.mul_(0.99).add_(new, alpha=0.01)
        k = F.normalize(momentum(x), dim=1)
    logits = torch.cat([(q * k).sum(1, keepdim=True), q @ queue.T], 1) / 0.2
    loss = F.cross_entropy(logits, torch.zeros(4, dtype=torch.long))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    queue = torch.cat([queue[4:], k])
