import torch
from torch import nn


def evaluate(net, x, y):
    net.eval()
    with torch.no_grad():
        return (net(x).argmax(1) == y).float().mean().item()


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x, y = torch.randn(60, 6) * 4 + 3, torch.randint(0, 3, (60,))
print("before:", evaluate(net, x, y))
for epoch in range(4):
    for part in torch.randperm(60).split(20):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x[part]), y[part])
        loss.backward()
        opt.step()
