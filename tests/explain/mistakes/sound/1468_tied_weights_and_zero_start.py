import torch
from torch import nn


class LoRA(nn.Module):
    def __init__(self, base, r=2):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(r, base.in_features) * 0.1)
        self.up = nn.Parameter(torch.zeros(base.out_features, r))

    def forward(self, x):
        return self.base(x) + x @ self.down.t() @ self.up.t()


torch.manual_seed(0)
layer = LoRA(nn.Linear(8, 8))
opt = torch.optim.AdamW([p for p in layer.parameters() if p.requires_grad], lr=1e-2)
x = torch.randn(40, 8)
y = x.flip(1)
for step in range(20):
    loss = nn.functional.mse_loss(layer(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
