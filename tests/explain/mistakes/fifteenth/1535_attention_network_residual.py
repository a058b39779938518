import torch
import torch.nn as nn


class TSANBlock(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.conv1 = nn.Conv2d(ch, ch, 3, padding=1)
        self.conv2 = nn.Conv2d(ch, ch, 3, padding=1)

    def forward(self, x):
        return self.conv2(torch.relu(self.conv1(x)))


class TSAN(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.head = nn.Conv2d(3, ch, 3, padding=1)
        self.relu = nn.ReLU()
        self.blocks = nn.ModuleList([TSANBlock(ch) for _ in range(2)])
        self.tail = nn.Conv2d(ch, 3, 3, padding=1)

    def forward(self, x):
        x = self.relu(self.head(x))
        out = x
        for block in self.blocks:
            out += block(out)
        return self.tail(out)


torch.manual_seed(0)
net = TSAN()
loss = nn.functional.l1_loss(net(torch.rand(2, 3, 12, 12)), torch.rand(2, 3, 12, 12))
loss.backward()
