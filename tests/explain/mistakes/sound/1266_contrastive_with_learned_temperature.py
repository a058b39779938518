import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
left, right = nn.Linear(9, 8), nn.Linear(7, 8)
log_scale = nn.Parameter(torch.tensor(2.0))
opt = torch.optim.AdamW([*left.parameters(), *right.parameters(), log_scale], lr=1e-3)
for _ in range(5):
    shared = torch.randn(16, 5)
    a = F.normalize(left(torch.cat([shared, torch.randn(16, 4)], 1)), dim=1)
    b = F.normalize(right(torch.cat([shared, torch.randn(16, 2)], 1)), dim=1)
    logits = log_scale.clamp(max=4.6).exp() * a @ b.T
    labels = torch.arange(16)
    loss = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
