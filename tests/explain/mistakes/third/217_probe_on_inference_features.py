import torch
from torch import nn


@torch.inference_mode()
def extract(backbone, images):
    return backbone(images).flatten(1)


torch.manual_seed(0)
backbone = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2))
probe = nn.Linear(16, 3)
optimizer = torch.optim.SGD(probe.parameters(), lr=0.1)
features = extract(backbone.eval(), torch.randn(6, 1, 8, 8))
labels = torch.randint(0, 3, (6,))
for step in range(3):
    loss = nn.functional.cross_entropy(probe(features), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
