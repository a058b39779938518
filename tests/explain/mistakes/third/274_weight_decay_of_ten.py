import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, weight_decay=10.0)
x = torch.randn(40, 5)
y = (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
for epoch in range(20):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
