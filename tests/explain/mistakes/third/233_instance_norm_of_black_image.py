import torch
from torch import nn


class Contrast(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 3, 3, bias=False)
        self.head = nn.Linear(3, 2)

    def forward(self, x):
        x = self.stem(x)
        mean = x.mean(dim=(2, 3), keepdim=True)
        std = (x - mean).pow(2).mean(dim=(2, 3), keepdim=True).sqrt()
        x = (x - mean) / (std + 1e-5)
        return self.head(torch.relu(x).mean(dim=(2, 3)))


torch.manual_seed(0)
net = Contrast()
images = torch.rand(4, 1, 6, 6)
images[2] = 0
loss = nn.functional.cross_entropy(net(images), torch.tensor([0, 1, 1, 0]))
loss.backward()
print(net.stem.weight.grad)
