import torch
from torch import nn

config = {"lr": 1e-10, "momentum": 0.9, "nesterov": True}
torch.manual_seed(0)
net = nn.Linear(7, 2)
start = net.weight.detach().clone()
opt = torch.optim.SGD(net.parameters(), **config)
x = torch.randn(60, 7)
y = (x.sum(1) > 0).long()
for epoch in range(20):
    logits = net(x)
    loss = nn.functional.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if epoch % 5 == 0:
        print(epoch, loss.item())
