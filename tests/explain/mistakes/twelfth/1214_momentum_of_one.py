import torch
from torch import nn

torch.manual_seed(0)
hyper = dict(lr=0.05, momentum=1.0)
net = nn.Sequential(nn.Linear(3, 10), nn.Tanh(), nn.Linear(10, 1))
opt = torch.optim.SGD(net.parameters(), **hyper)
x = torch.randn(64, 3)
y = x[:, :1] - 2 * x[:, 1:2]
losses = []
for _ in range(200):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
print(max(losses[-60:]), losses[0])
