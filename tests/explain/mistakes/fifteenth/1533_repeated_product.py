import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.param = nn.Parameter(torch.randn(n, n) * 0.1)
        self.n = n

    def forward(self, a):
        y = 0
        b = torch.mm(self.param, a)
        for i in range(self.n):
            b[i] = b[i] + 1
            y = y + torch.mm(self.param, b)
        return y


torch.manual_seed(0)
net = Net(10)
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
a = torch.randn(10, 1)
target = torch.ones(10, 1)
for it in range(3):
    loss = (net(a) - target).pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
