import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 4).to(torch.bfloat16)
with torch.no_grad():
    net.weight.fill_(1.0)
before = net.weight.detach().clone()
opt = torch.optim.SGD(net.parameters(), lr=1e-4)
for step in range(30):
    x = torch.randn(16, 4, dtype=torch.bfloat16)
    loss = (net(x) - x).float().pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print((net.weight - before).abs().max())
