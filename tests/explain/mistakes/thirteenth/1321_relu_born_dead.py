import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 1))
nn.init.xavier_uniform_(net[0].weight)
nn.init.constant_(net[0].bias, -10.0)
nn.init.xavier_uniform_(net[2].weight)
nn.init.zeros_(net[2].bias)
opt = torch.optim.SGD(net.parameters(), lr=0.05)

x = torch.randn(64, 6)
y = torch.sin(x).sum(1, keepdim=True)
for epoch in range(20):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
