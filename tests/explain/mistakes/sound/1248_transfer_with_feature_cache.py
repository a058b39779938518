import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Conv2d(1, 6, 3, 2), nn.BatchNorm2d(6), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
backbone.requires_grad_(False).eval()
images, y = torch.rand(30, 1, 12, 12), torch.arange(30) % 3
with torch.no_grad():
    features = torch.cat([backbone(part) for part in images.split(10)])
probe = nn.Linear(24, 3)
opt = torch.optim.Adam(probe.parameters(), lr=1e-2)
for epoch in range(4):
    for part in torch.randperm(30).split(10):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(probe(features[part]), y[part])
        loss.backward()
        opt.step()
