import torch
from torch import nn
import torch.nn.functional as F


def focal(logit, y, gamma=2.0):
    ce = F.binary_cross_entropy_with_logits(logit, y, reduction='none')
    p = torch.sigmoid(logit)
    return ((1 - p) ** gamma * ce).mean()


torch.manual_seed(0)
x = torch.randn(300, 5)
y = (x[:, 0] > 1.5).float()
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(20):
    loss = focal(model(x).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
