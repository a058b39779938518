import torch
from torch import nn


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(1, 4, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.middle = nn.Conv2d(4, 4, 3, padding=1)
        self.up = nn.ConvTranspose2d(4, 4, 2, stride=2)
        self.out = nn.Conv2d(8, 2, 1)

    def forward(self, x):
        skip = torch.relu(self.down(x))
        deep = torch.relu(self.middle(self.pool(skip)))
        return self.out(torch.cat([skip, self.up(deep)], dim=1))


torch.manual_seed(0)
net = UNet()
images, masks = torch.rand(2, 1, 25, 25), torch.randint(0, 2, (2, 25, 25))
loss = nn.functional.cross_entropy(net(images), masks)
loss.backward()
