import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(8, 16), nn.Linear(16, 3)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


def make_optimizer(net, rate):
    return torch.optim.AdamW([
        {"params": net.parameters(), "lr": rate / 10},
        {"params": net.head.parameters(), "lr": rate},
    ])


torch.manual_seed(0)
net = Net()
optimizer = make_optimizer(net, 1e-3)
loss = nn.functional.cross_entropy(net(torch.randn(4, 8)), torch.tensor([0, 2, 1, 1]))
loss.backward()
optimizer.step()
