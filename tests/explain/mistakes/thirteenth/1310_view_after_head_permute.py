import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self, dim=16, heads=4):
        super().__init__()
        self.h = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, d = x.shape
        qkv = self.qkv(x).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        att = (q @ k.transpose(-2, -1) / (d // self.h) ** 0.5).softmax(-1)
        y = (att @ v).permute(0, 2, 1, 3).view(b, t, d)
        return self.proj(y)


torch.manual_seed(0)
layer = Heads()
opt = torch.optim.AdamW(layer.parameters())
x = torch.randn(2, 5, 16)
loss = (layer(x) - x).pow(2).mean()
loss.backward()
opt.step()
