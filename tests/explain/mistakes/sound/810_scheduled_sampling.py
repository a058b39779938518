import torch
from torch import nn

torch.manual_seed(0)
cell, out = nn.GRUCell(3, 8), nn.Linear(8, 3)
optimizer = torch.optim.Adam([*cell.parameters(), *out.parameters()], lr=1e-3)
for _ in range(3):
    y = torch.randn(4, 6, 3)
    h, x, losses = torch.zeros(4, 8), torch.zeros(4, 3), []
    for t in range(6):
        h = cell(x, h)
        p = out(h)
        losses.append(nn.functional.mse_loss(p, y[:, t]))
        x = p.detach() if torch.rand(()) < 0.5 else y[:, t]
    loss = torch.stack(losses).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
