import torch
import torch.nn as nn


class GatedBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.value = nn.Linear(width, width)
        self.gate = nn.Linear(width, width)

    def forward(self, x, mask):
        gate = torch.sigmoid(self.gate(x))
        gate *= mask.unsqueeze(-1)
        return x + gate * self.value(x)


torch.manual_seed(0)
blocks = nn.ModuleList(GatedBlock(5) for _ in range(2))
x = torch.randn(3, 4, 5)
mask = torch.tensor([[1.0, 1, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]])
for block in blocks:
    x = block(x, mask)
loss = x.pow(2).mean()
loss.backward()
print(blocks[0].gate.weight.grad.norm())
