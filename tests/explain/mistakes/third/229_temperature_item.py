import math
import torch
import torch.nn.functional as F
from torch import nn


class InfoNCE(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.project = nn.Linear(size, 8)
        self.log_tau = nn.Parameter(torch.tensor(-2.0))

    def forward(self, a, b):
        za, zb = F.normalize(self.project(a), dim=1), F.normalize(self.project(b), dim=1)
        tau = math.exp(self.log_tau.item())
        logits = za @ zb.T / tau
        return F.cross_entropy(logits, torch.arange(len(a)))


torch.manual_seed(0)
model = InfoNCE(6)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(3):
    x = torch.randn(7, 6)
    loss = model(x, x + 0.1 * torch.randn_like(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
