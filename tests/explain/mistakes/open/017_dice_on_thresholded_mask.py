import torch
import torch.nn as nn


def dice_loss(logits, target, eps=1.0):
    pred = (torch.sigmoid(logits) > 0.5).float()
    overlap = (pred * target).sum((1, 2, 3))
    total = pred.sum((1, 2, 3)) + target.sum((1, 2, 3))
    return (1 - (2 * overlap + eps) / (total + eps)).mean()


torch.manual_seed(0)
unet = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 1))
optimizer = torch.optim.Adam(unet.parameters())
images = torch.randn(2, 1, 8, 8)
masks = (torch.rand(2, 1, 8, 8) > 0.7).float()
for epoch in range(2):
    optimizer.zero_grad()
    loss = dice_loss(unet(images), masks)
    loss.backward()
    optimizer.step()
