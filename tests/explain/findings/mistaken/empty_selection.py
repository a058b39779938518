"""Empty selection."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)


def masked(prediction, target, mask):
    return (prediction - target)[mask].square().mean()  # <-- culprit


model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for turn in range(3):
    mask = torch.full((4, 1), turn != 1)
    optimizer.zero_grad()
    masked(model(torch.randn(4, 3)), torch.randn(4, 1), mask).backward()
    optimizer.step()
