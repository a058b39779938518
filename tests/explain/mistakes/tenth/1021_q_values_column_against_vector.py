import torch
from torch import nn

torch.manual_seed(0)
qnet = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(qnet.parameters(), lr=1e-3)
huber = nn.SmoothL1Loss(reduction="none")


def td_error(q, target, weights):
    return (weights * huber(q, target)).mean()


for _ in range(5):
    s, s2 = torch.randn(32, 4), torch.randn(32, 4)
    a, r, done = torch.randint(0, 2, (32, 1)), torch.randn(32), torch.zeros(32)
    q = qnet(s).gather(1, a)
    with torch.no_grad():
        target = r + 0.99 * (1 - done) * qnet(s2).max(1).values
    loss = td_error(q, target, torch.ones(32))
    opt.zero_grad()
    loss.backward()
    opt.step()
