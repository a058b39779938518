"""The loss of a policy lacks its minus."""

import pullback as torch
from pullback import nn
from pullback.distributions import Categorical

torch.manual_seed(0)
pi = nn.Linear(4, 2)
opt = torch.optim.Adam(pi.parameters(), 1e-2)
for _ in range(5):
    s = torch.randn(16, 4)
    d = Categorical(logits=pi(s))
    a = d.sample()
    reward = (a == (s[:, 0] > 0)).float()
    loss = (d.log_prob(a) * reward).mean()  # <-- culprit
    opt.zero_grad()
    loss.backward()
    opt.step()
