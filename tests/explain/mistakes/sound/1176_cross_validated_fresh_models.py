import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(60, 5)
y = (x[:, 0] - x[:, 1] > 0).long()
scores = []
for held in torch.randperm(60).chunk(3):
    train = torch.ones(60, dtype=torch.bool)
    train[held] = False
    net = nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 2))
    opt = torch.optim.Adam(net.parameters(), lr=1e-2, weight_decay=1e-4)
    net.train()
    for _ in range(15):
        loss = nn.functional.cross_entropy(net(x[train]), y[train])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        scores.append((net(x[held]).argmax(1) == y[held]).float().mean().item())
print(scores)
