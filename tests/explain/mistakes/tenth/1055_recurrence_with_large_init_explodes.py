import torch
from torch import nn

torch.manual_seed(0)
cell = nn.RNNCell(2, 20, nonlinearity="relu")
nn.init.normal_(cell.weight_hh, std=1.5)
nn.init.zeros_(cell.bias_hh)
head = nn.Linear(20, 1)
opt = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=1e-3)


def unroll(sequence):
    h = torch.zeros(sequence.shape[1], 20)
    for frame in sequence:
        h = cell(frame, h)
    return head(h)


series = torch.randn(60, 4, 2)
loss = nn.functional.mse_loss(unroll(series), torch.ones(4, 1))
opt.zero_grad()
loss.backward()
opt.step()
