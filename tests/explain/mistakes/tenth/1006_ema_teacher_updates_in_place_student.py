import torch
from torch import nn


def soft_update(dst, src, tau):
    with torch.no_grad():
        for a, b in zip(dst.parameters(), src.parameters()):
            a.mul_(1 - tau).add_(b, alpha=tau)


torch.manual_seed(0)
student = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
teacher = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
opt = torch.optim.SGD(student.parameters(), lr=0.05)
for step in range(3):
    x = torch.randn(6, 5)
    consistency = (student(x) - teacher(x).detach()).pow(2).mean()
    soft_update(student, teacher, 0.01)
    opt.zero_grad()
    consistency.backward()
    opt.step()
