import torch
from torch import nn


class Accumulator:
    def __init__(self, net, optimizer, every):
        self.net, self.optimizer, self.every = net, optimizer, every
        self.count = 0

    def __call__(self, loss):
        (loss / self.every).backward()
        self.count += 1
        if self.count % self.every == 0:
            self.net.zero_grad()
            self.optimizer.step()


torch.manual_seed(0)
net = nn.Linear(4, 2)
start = net.weight.detach().clone()
accumulate = Accumulator(net, torch.optim.SGD(net.parameters(), lr=0.1), every=2)
for _ in range(6):
    x, y = torch.randn(3, 4), torch.randint(0, 2, (3,))
    accumulate(nn.functional.cross_entropy(net(x), y))
print((net.weight - start).abs().max())
