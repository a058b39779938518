import torch
from torch import nn

torch.manual_seed(0)
cell, out = nn.GRUCell(2, 8), nn.Linear(8, 1)
opt = torch.optim.SGD([*cell.parameters(), *out.parameters()], lr=0.0)
x, y = torch.randn(12, 4, 2), torch.randn(12, 4, 1)


def sequence_loss(x, y):
    h = torch.zeros(4, 8)
    for frame, wanted in zip(x, y):
        h = cell(frame, h)
        loss = nn.functional.mse_loss(out(h), wanted)
    return loss, h


loss, h_all = sequence_loss(x, y)
opt.zero_grad()
loss.backward()
opt.step()
