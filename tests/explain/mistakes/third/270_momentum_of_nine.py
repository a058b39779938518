import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=9)
for epoch in range(60):
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(net(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
