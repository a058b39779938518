import torch
from torch import nn

BASE = 1e-3


def rate(epoch):
    return BASE * 0.95 ** epoch


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=BASE)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_lambda=rate)
data = torch.randn(40, 5)
for epoch in range(10):
    for x in data.split(10):
        loss = (net(x).squeeze(1) - x.sum(1)).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    sched.step()
