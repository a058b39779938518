import torch
from torch import nn


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c2 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(16 * 5 * 5, 10)

    def forward(self, x):
        x = self.pool(self.c1(x).relu())
        x = self.pool(self.c2(x).relu())
        return self.fc(x.flatten(1))


torch.manual_seed(0)
net = LeNet()
x, y = torch.rand(4, 1, 28, 28), torch.randint(0, 10, (4,))
loss = nn.functional.cross_entropy(net(x), y)
loss.backward()
