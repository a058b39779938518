import torch
from torch import nn


def block(a, b, keep=1.0):
    return nn.Sequential(nn.Linear(a, b), nn.ReLU(), nn.Dropout(keep))


torch.manual_seed(0)
net = nn.Sequential(block(6, 12), block(12, 12), nn.Linear(12, 1))
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
x = torch.randn(32, 6)
for _ in range(5):
    loss = nn.functional.l1_loss(net(x), x[:, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
