"""A leaf of the program's own goes into the loss as a plain number only."""

import pullback as torch

mu = torch.tensor(0.3, requires_grad=True)
sigma = torch.tensor(1.2, requires_grad=True)
total = 0.0
for x in (0.1, -0.4, 1.9):
    z = (x - mu.item()) / sigma  # <-- culprit
    total = total + 0.5 * z**2 + sigma.log()
total.backward()
