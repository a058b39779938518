"""A target goes on after the end of an episode."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)
q, frozen = nn.Linear(3, 2), nn.Linear(3, 2)
opt = torch.optim.SGD(q.parameters(), lr=0.1)
for _ in range(3):
    s, later, r = torch.randn(8, 3), torch.randn(8, 3), torch.rand(8)
    done = torch.rand(8) < 0.5
    a = torch.randint(0, 2, (8, 1))
    with torch.no_grad():
        goal = r + 0.9 * frozen(later).amax(1)  # <-- culprit
    loss = F.smooth_l1_loss(q(s).gather(1, a).squeeze(1), goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
