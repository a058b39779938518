import torch
from torch import nn


def warmup(step, total=100):
    return min(1, step // total)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ELU(), nn.Linear(8, 1))
start = net[0].weight.detach().clone()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.LambdaLR(opt, warmup)
for step in range(30):
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(net(x), x[:, 1:2])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
