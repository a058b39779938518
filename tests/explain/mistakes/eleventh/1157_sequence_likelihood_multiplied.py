import torch
from torch import nn


class Markov(nn.Module):
    def __init__(self, states=20):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(states, states))

    def likelihood(self, path):
        p = self.table.softmax(-1)[path[:-1], path[1:]]
        return p.prod()


torch.manual_seed(0)
chain = Markov()
opt = torch.optim.Adam(chain.parameters(), lr=0.1)
path = torch.randint(0, 20, (60,))
loss = -torch.log(chain.likelihood(path))
opt.zero_grad()
loss.backward()
opt.step()
