import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.SiLU(), nn.Linear(8, 3))
start = net[0].weight.detach().clone()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)


def one_epoch(loader):
    running = 0.0
    for x in loader:
        loss = (net(x) - x).abs().mean()
        running += loss.item()
        loss.backward()
        opt.zero_grad()
        opt.step()
    schedule.step()
    return running / len(loader)


batches = torch.randn(5, 8, 3).unbind()
print([round(one_epoch(batches), 4) for _ in range(3)])
