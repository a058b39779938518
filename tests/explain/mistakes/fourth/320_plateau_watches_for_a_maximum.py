import torch
from torch import nn
from torch.optim.lr_scheduler import ReduceLROnPlateau

torch.manual_seed(0)
net = nn.Linear(6, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
scheduler = ReduceLROnPlateau(optimizer, mode="max", factor=0.1, patience=1)
x = torch.randn(40, 6)
y = x.sum(1, keepdim=True)
for epoch in range(12):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
    scheduler.step(loss.item())
print(loss.item())
