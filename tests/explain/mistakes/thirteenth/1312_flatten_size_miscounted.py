import torch
from torch import nn


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3)
        self.conv2 = nn.Conv2d(4, 8, 3)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(8 * 8 * 8, 10)

    def forward(self, x):
        x = torch.relu(self.conv1(x))
        x = self.pool(torch.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        return self.fc(x)


torch.manual_seed(0)
net = Digits()
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
images, labels = torch.rand(5, 1, 16, 16), torch.randint(0, 10, (5,))
loss = nn.functional.cross_entropy(net(images), labels)
loss.backward()
opt.step()
