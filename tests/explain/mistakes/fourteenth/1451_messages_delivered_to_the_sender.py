import torch
from torch import nn


class GraphConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.own, self.nbr = nn.Linear(i, o), nn.Linear(i, o)

    def aggregate(self, x, edge_index):
        src, dst = edge_index
        out = torch.zeros_like(x)
        out.index_add_(0, src, x[src])
        return out

    def forward(self, x, edge_index):
        return self.own(x) + self.nbr(self.aggregate(x, edge_index))


torch.manual_seed(0)
conv = GraphConv(3, 1)
opt = torch.optim.Adam(conv.parameters(), lr=0.02)
x = torch.randn(40, 3)
edges = torch.randint(0, 40, (2, 120))
y = torch.zeros(40, 1).index_add_(0, edges[1], x[edges[0], :1])
for epoch in range(30):
    loss = (conv(x, edges) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
