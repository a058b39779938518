"""The target network is the network itself, not a copy."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
online = nn.Linear(3, 2)
target = online  # <-- culprit
optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
for _ in range(3):
    with torch.no_grad():
        goal = 1 + 0.9 * target(torch.rand(4, 3)).amax(1)
    loss = (online(torch.rand(4, 3)).amax(1) - goal).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    target.load_state_dict(online.state_dict())
