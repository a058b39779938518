"""Q-learning with a target network."""

import copy

import pullback as torch
from pullback import nn

torch.manual_seed(0)
q = nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 2))
t = copy.deepcopy(q)
o = torch.optim.Adam(q.parameters(), lr=0.001)
for i in range(6):
    s, a, r, s2 = (torch.randn(6, 3), torch.randint(0, 2, (6, 1)), torch.randn(6), torch.randn(6, 3))
    with torch.no_grad():
        target = r + 0.9 * t(s2).max(1).values
    loss = nn.functional.smooth_l1_loss(q(s).gather(1, a).squeeze(1), target)
    o.zero_grad()
    loss.backward()
    o.step()
    if i % 3 == 2:
        t.load_state_dict(q.state_dict())
