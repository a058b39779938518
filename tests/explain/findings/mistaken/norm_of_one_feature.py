"""A layer norm over the one output of a head gives its bias, whatever comes in."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
head = nn.Linear(3, 1)
norm = nn.LayerNorm(1)  # <-- culprit
optimizer = torch.optim.SGD([*head.parameters(), *norm.parameters()], lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    (norm(head(torch.rand(6, 3))) - torch.rand(6, 1)).square().mean().backward()
    optimizer.step()
