import torch
import torch.nn as nn


def focal_loss(out, gt):
    pred = torch.sigmoid(out)
    pos = gt.eq(1).float()
    neg_weights = torch.pow(1 - gt, 4) * gt.lt(1).float()
    pos_loss = torch.log(pred) * torch.pow(1 - pred, 2) * pos
    neg_loss = torch.log(1 - pred) * torch.pow(pred, 2) * neg_weights
    return -(pos_loss.sum() + neg_loss.sum()) / pos.sum().clamp(min=1)


torch.manual_seed(0)
backbone = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 2, 1))
optimizer = torch.optim.Adam(backbone.parameters(), lr=1e-3)
img = torch.randint(0, 256, (2, 3, 16, 16)).float()
heat = torch.rand(2, 2, 16, 16) * 0.8
heat[:, 0, 4, 4] = 1.0
heat[:, 1, 9, 11] = 1.0
for it in range(5):
    loss = focal_loss(backbone(img), heat)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(it, loss.item())
