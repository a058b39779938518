import torch
from torch import nn

torch.manual_seed(0)
y = torch.tensor([0, 1, 1, 2, 2, 2, 0, 1])
x = torch.randn(8, 5)
count = torch.bincount(y).float()
weight = count.sum() / count
net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 4))
criterion = nn.CrossEntropyLoss(weight=weight)
opt = torch.optim.Adam(net.parameters())
loss = criterion(net(x), y)
opt.zero_grad()
loss.backward()
opt.step()
