import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.SGD(net.parameters(), lr=10.0, momentum=0.9)
centres = torch.randn(3, 8)
losses = []
for _ in range(15):
    y = torch.randint(0, 3, (24,))
    x = centres[y] + 3 * torch.randn(24, 8)
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
print(losses)
