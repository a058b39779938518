import torch
from torch import nn

torch.manual_seed(0)
segment = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 1))
opt = torch.optim.Adam(segment.parameters(), lr=1e-3)
criterion = nn.BCELoss()
for _ in range(3):
    image = torch.rand(2, 3, 8, 8)
    mask = (image.mean(1, keepdim=True) > 0.5).float()
    loss = criterion(segment(image), mask)
    opt.zero_grad()
    loss.backward()
    opt.step()
