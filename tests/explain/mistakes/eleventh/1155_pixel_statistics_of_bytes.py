import torch
from torch import nn


class Standardise(nn.Module):
    def forward(self, image):
        mean = image.mean(dim=(2, 3), keepdim=True)
        std = image.std(dim=(2, 3), keepdim=True)
        return (image - mean) / (std + 1e-5)


torch.manual_seed(0)
net = nn.Sequential(Standardise(), nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2))
images = torch.randint(0, 256, (5, 3, 8, 8), dtype=torch.uint8)
y = torch.tensor([0, 1, 1, 0, 1])
loss = nn.functional.cross_entropy(net(images), y)
loss.backward()
