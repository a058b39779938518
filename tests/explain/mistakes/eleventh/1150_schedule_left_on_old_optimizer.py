import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.5)


def reset(net):
    return torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)


opt = reset(net)
for epoch in range(6):
    x, y = torch.randn(20, 4), torch.randint(0, 2, (20,))
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
