import torch
from torch import nn


class Messages(nn.Module):
    def __init__(self, nodes, size):
        super().__init__()
        self.state = nn.Parameter(torch.randn(nodes, size))
        self.message = nn.Linear(size, size)

    def forward(self, source, target):
        sent = self.message(self.state[source])
        return self.state.index_add_(0, target, sent)


torch.manual_seed(0)
layer = Messages(6, 4)
optimizer = torch.optim.Adam(layer.parameters(), lr=1e-2)
source, target = torch.randint(0, 6, (10,)), torch.randint(0, 6, (10,))
loss = layer(source, target).pow(2).mean()
optimizer.zero_grad()
loss.backward()
optimizer.step()
