import torch
from torch import nn


def occlude(image, row, col, size=2):
    image[:, row:row + size, col:col + size] = 0.0
    return image


def sensitivity(model, image, label):
    image.requires_grad_()
    drops = []
    for row in range(0, 6, 2):
        masked = occlude(image, row, row)
        drops.append(model(masked.unsqueeze(0))[0, label])
    torch.stack(drops).sum().backward()
    return image.grad


torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(2 * 16, 3))
print(sensitivity(model, torch.rand(1, 6, 6), 1))
