import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(2, 1)
with torch.no_grad():
    net.weight.copy_(torch.tensor([[5.0, 5.0]]))
    net.bias.zero_()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    y = torch.randint(0, 2, (8,)) * 2.0 - 1
    x = y[:, None] * (1 + torch.rand(8, 2))
    loss = torch.relu(1 - y * net(x).squeeze(1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
