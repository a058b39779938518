"""A recurrence whose weights are drawn too large grows until float32 cannot hold it."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
cell = nn.RNNCell(2, 16, nonlinearity="relu")
nn.init.normal_(cell.weight_hh, std=2.0)  # <-- culprit
h = torch.zeros(3, 16)
for frame in torch.randn(60, 3, 2):
    h = cell(frame, h)
loss = h.square().mean()
loss.backward()
