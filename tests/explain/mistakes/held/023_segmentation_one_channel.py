import torch
from torch import nn


class TinyUNet(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.down = nn.Conv2d(channels, 4, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(4, 1, 2, stride=2)

    def forward(self, x):
        return self.up(torch.relu(self.down(x)))


class SegmentationLoss(nn.Module):
    def forward(self, output, mask):
        return nn.functional.cross_entropy(output, mask.squeeze(1).long())


torch.manual_seed(0)
net, criterion = TinyUNet(1), SegmentationLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
images, masks = torch.randn(2, 1, 8, 8), torch.zeros(2, 1, 8, 8)
for epoch in range(3):
    loss = criterion(net(images), masks)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
