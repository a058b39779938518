import torch
from torch import nn


def gram(features):
    flat = features.flatten(2)
    return flat @ flat.transpose(1, 2) / flat.shape[2]


torch.manual_seed(0)
extractor = nn.Sequential(nn.Conv2d(3, 6, 3), nn.ReLU(), nn.Conv2d(6, 6, 3))
style, content = torch.rand(1, 3, 12, 12), torch.rand(1, 3, 12, 12)
image = content.clone().requires_grad_()
optimizer = torch.optim.Adam([image], lr=0.05)
wanted = gram(extractor(style))
for _ in range(4):
    optimizer.zero_grad()
    features = extractor(image)
    loss = (gram(features) - wanted).pow(2).sum()
    loss.backward()
    optimizer.step()
