import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
criterion = nn.MSELoss(reduction="sum")
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
x = torch.randn(512, 8)
y = x[:, :1] * 3 - x[:, 1:2]
for epoch in range(12):
    loss = criterion(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
