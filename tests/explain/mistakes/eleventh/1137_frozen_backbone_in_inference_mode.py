import torch
from torch import nn


@torch.inference_mode()
def extract(backbone, images):
    return backbone(images).flatten(1)


torch.manual_seed(0)
backbone = nn.Sequential(nn.Conv2d(1, 3, 3, 2), nn.ReLU(), nn.AvgPool2d(2)).eval()
probe = nn.Linear(27, 4)
opt = torch.optim.SGD(probe.parameters(), lr=0.1)
for _ in range(2):
    images, y = torch.rand(5, 1, 14, 14), torch.randint(0, 4, (5,))
    features = extract(backbone, images)
    loss = nn.functional.cross_entropy(probe(features), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
