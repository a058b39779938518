import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, depth, width):
        super().__init__()
        block = nn.Sequential(nn.Linear(width, width), nn.GELU())
        self.blocks = nn.Sequential(*[block] * depth)
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        return self.out(self.norm(self.blocks(x)))


torch.manual_seed(0)
net = Stack(6, 8)
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for _ in range(4):
    x = torch.randn(16, 8)
    loss = (net(x) - x.amax(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
