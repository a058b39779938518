import torch
from torch import nn


class Chain(nn.Module):
    def __init__(self, states):
        super().__init__()
        self.move = nn.Parameter(torch.zeros(states, states))

    def probability(self, path):
        step = self.move.softmax(1)
        return step[path[:-1], path[1:]].prod()

    def forward(self, path):
        return -self.probability(path).log()


torch.manual_seed(0)
chain = Chain(6)
loss = chain(torch.randint(0, 6, (120,)))
loss.backward()
print(loss, chain.move.grad)
