"""Positions out of range."""

import pullback as torch
import pullback.nn.functional as F
from pullback import nn


class Registration(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.shift = nn.Linear(2 * size * size, 2)
        rows, columns = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
        self.register_buffer("grid", torch.stack([columns, rows], -1).float() + 2.0)

    def forward(self, moving, fixed):
        pair = torch.cat([moving, fixed], 1).flatten(1)
        grid = self.grid + self.shift(pair)[:, None, None]
        return F.grid_sample(moving, grid, align_corners=True)  # <-- culprit


torch.manual_seed(0)
net = Registration(8)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
moving, fixed = torch.rand(2, 1, 8, 8), torch.rand(2, 1, 8, 8)
loss = F.mse_loss(net(moving, fixed), fixed)
loss.backward()
optimizer.step()
