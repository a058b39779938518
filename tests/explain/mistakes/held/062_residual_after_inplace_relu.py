import torch
from torch import nn


class GLUBlock(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.value, self.gate = nn.Linear(d, d), nn.Linear(d, d)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        gate = torch.sigmoid(self.gate(x))
        value = self.value(x) * gate
        return value + self.act(gate - 0.5), self.act(gate)


torch.manual_seed(0)
blocks = nn.ModuleList([GLUBlock(4), GLUBlock(4)])
x = torch.randn(5, 4)
extra = 0.0
for block in blocks:
    x, gate = block(x)
    extra = extra + gate.mean()
loss = x.pow(2).mean() + 0.01 * extra
loss.backward()
