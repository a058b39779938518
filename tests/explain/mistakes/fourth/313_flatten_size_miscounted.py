import torch
from torch import nn


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 4, 5), nn.Conv2d(4, 8, 5)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(8 * 7 * 7, 10)

    def forward(self, x):
        x = self.pool(torch.relu(self.conv1(x)))
        x = self.pool(torch.relu(self.conv2(x)))
        return self.fc(x.flatten(1))


torch.manual_seed(0)
net = LeNet()
loss = nn.functional.cross_entropy(net(torch.rand(2, 1, 28, 28)), torch.tensor([3, 9]))
loss.backward()
