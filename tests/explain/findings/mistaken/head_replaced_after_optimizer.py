"""Head replaced after optimizer."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model[2] = nn.Linear(8, 4)  # <-- culprit
for _ in range(3):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(torch.randn(5, 3)), torch.randint(0, 4, (5,))).backward()
    optimizer.step()
