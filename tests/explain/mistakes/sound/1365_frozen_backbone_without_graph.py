import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(10, 20), nn.BatchNorm1d(20), nn.ReLU())
backbone.requires_grad_(False).eval()
head = nn.Linear(20, 3)
opt = torch.optim.Adam(head.parameters(), lr=1e-2)
x = torch.randn(60, 10)
y = x[:, :3].argmax(1)
for epoch in range(10):
    with torch.no_grad():
        feats = backbone(x)
    loss = nn.functional.cross_entropy(head(feats), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
