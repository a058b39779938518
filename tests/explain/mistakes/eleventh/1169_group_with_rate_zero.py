import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(5, 8), nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.body(x).relu())


torch.manual_seed(0)
net = Net()
before = net.body.weight.detach().clone()
base = 1e-3
groups = [{"params": net.body.parameters(), "lr": base * 0}, {"params": net.head.parameters()}]
opt = torch.optim.Adam(groups, lr=base)
for _ in range(5):
    x, y = torch.randn(10, 5), torch.randint(0, 2, (10,))
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
