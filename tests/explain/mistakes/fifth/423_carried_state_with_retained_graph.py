import torch
from torch import nn

torch.manual_seed(0)
cell, readout = nn.RNNCell(3, 6), nn.Linear(6, 3)
optimizer = torch.optim.Adam([*cell.parameters(), *readout.parameters()], lr=1e-2)
signal = torch.randn(12, 1, 3)
state = torch.zeros(1, 6)
for now, following in zip(signal[:-1], signal[1:]):
    state = cell(now, state)
    loss = nn.functional.mse_loss(readout(state), following)
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
