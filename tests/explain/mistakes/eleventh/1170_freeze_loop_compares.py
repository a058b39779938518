import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Embedding(20, 6), nn.Flatten(), nn.Linear(24, 2))
before = net[0].weight.detach().clone()


def freeze(module):
    for p in module.parameters():
        p.require_grad = False


freeze(net[0])
opt = torch.optim.SGD(net.parameters(), lr=0.5)
for _ in range(4):
    ids, y = torch.randint(0, 20, (8, 4)), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(net(ids), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
