"""Values grow from layer to layer, and have not overflowed yet."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
layers = nn.ModuleList(nn.Linear(16, 16) for _ in range(12))
for layer in layers:
    nn.init.normal_(layer.weight, std=3.0)  # <-- culprit
x = torch.randn(4, 16)
for layer in layers:
    x = layer(x)
loss = x.square().mean()
loss.backward()
