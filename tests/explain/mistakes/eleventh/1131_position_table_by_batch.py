import math
import torch
from torch import nn


class Places(nn.Module):
    def __init__(self, width, longest=50):
        super().__init__()
        t = torch.arange(longest).unsqueeze(1)
        rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        table = torch.zeros(longest, 1, width)
        table[:, 0, 0::2], table[:, 0, 1::2] = torch.sin(t * rate), torch.cos(t * rate)
        self.register_buffer("table", table)

    def forward(self, x):
        return x + self.table[: x.size(0)]


torch.manual_seed(0)
net = nn.Module()
net.place, net.layer = Places(8), nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
x = torch.randn(4, 6, 8)
loss = (net.layer(net.place(x)) - x.roll(1, 1)).abs().mean()
loss.backward()
opt.step()
