import torch
from torch import nn


def init(module):
    if isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)
        nn.init.constant_(module.bias, -5.0)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 24), nn.ReLU(), nn.Linear(24, 2))
net.apply(init)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
data = torch.rand(64, 6)
labels = (data[:, 0] > 0.5).long()
for part in torch.arange(64).split(16):
    loss = nn.functional.cross_entropy(net(data[part]), labels[part])
    opt.zero_grad()
    loss.backward()
    opt.step()
