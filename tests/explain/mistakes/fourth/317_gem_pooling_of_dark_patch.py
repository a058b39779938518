import torch
from torch import nn


class GeM(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.tensor(3.0))

    def forward(self, x):
        return x.pow(self.p).mean((2, 3)).pow(1 / self.p)


torch.manual_seed(0)
conv, pool, head = nn.Conv2d(1, 4, 3, bias=False), GeM(), nn.Linear(4, 2)
images = torch.rand(3, 1, 6, 6)
images[1] = 0.0
features = torch.relu(conv(images))
loss = nn.functional.cross_entropy(head(pool(features)), torch.tensor([1, 0, 1]))
loss.backward()
print(pool.p.grad)
