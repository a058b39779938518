import torch
from torch import nn


class Adapter(nn.Module):
    def __init__(self, base, rank=2):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Linear(base.in_features, rank, bias=False)
        self.up = nn.Linear(rank, base.out_features, bias=False)
        for part in (self.down, self.up):
            nn.init.zeros_(part.weight)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x))


torch.manual_seed(0)
layer = Adapter(nn.Linear(6, 4))
opt = torch.optim.AdamW([p for p in layer.parameters() if p.requires_grad], lr=1e-2)
for _ in range(4):
    x = torch.randn(16, 6)
    loss = nn.functional.mse_loss(layer(x), x[:, :4])
    opt.zero_grad()
    loss.backward()
    opt.step()
