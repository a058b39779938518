import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.ff = nn.Linear(d, d)

    def forward(self, x):
        self.norm(x)
        return x + torch.relu(self.ff(x))


torch.manual_seed(0)
block = Block(12)
out = nn.Linear(12, 1)
opt = torch.optim.AdamW([*block.parameters(), *out.parameters()], lr=1e-3)
x = torch.randn(40, 12) * 50
y = x.mean(1, keepdim=True)
for step in range(5):
    loss = nn.functional.mse_loss(out(block(x)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
