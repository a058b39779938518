"""Clipped before backward."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = model(torch.randn(4, 4)).square().mean()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # <-- culprit
    loss.backward()
    optimizer.step()
