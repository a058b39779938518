import torch
from torch import nn
import torch.nn.functional as F


class MiniUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(1, 8, 3, padding=1)
        self.mid = nn.Conv2d(8, 16, 3, padding=1)
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.out = nn.Conv2d(16, 1, 1)

    def forward(self, x):
        skip = F.relu(self.down(x))
        mid = F.relu(self.mid(F.max_pool2d(skip, 2)))
        up = self.up(mid)
        return self.out(torch.cat([up, skip], 1))


torch.manual_seed(0)
net = MiniUNet()
opt = torch.optim.Adam(net.parameters())
scan = torch.rand(2, 1, 19, 19)
mask = (scan > 0.5).float()
loss = F.binary_cross_entropy_with_logits(net(scan), mask)
loss.backward()
opt.step()
