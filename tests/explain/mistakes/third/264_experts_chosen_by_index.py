import torch
from torch import nn


class MoE(nn.Module):
    def __init__(self, size, experts):
        super().__init__()
        self.gate = nn.Linear(size, experts)
        self.experts = nn.ModuleList(nn.Linear(size, size) for _ in range(experts))

    def forward(self, x):
        chosen = self.gate(x).topk(1, dim=1).indices.squeeze(1)
        out = torch.zeros_like(x)
        for k, expert in enumerate(self.experts):
            out = out + expert(x) * (chosen == k).unsqueeze(1)
        return out


torch.manual_seed(0)
moe = MoE(6, 3)
optimizer = torch.optim.Adam(moe.parameters(), lr=1e-3)
x = torch.randn(9, 6)
for step in range(3):
    optimizer.zero_grad()
    nn.functional.mse_loss(moe(x), x.flip(1)).backward()
    optimizer.step()
