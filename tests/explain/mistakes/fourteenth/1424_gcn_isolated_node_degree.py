import torch
from torch import nn


class GCN(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o)

    def forward(self, x, adj):
        deg = adj.sum(1)
        inv = deg.pow(-0.5)
        norm = inv[:, None] * adj * inv[None, :]
        return norm @ self.lin(x)


torch.manual_seed(0)
edges = torch.tensor([[0, 1, 2, 3, 0], [1, 2, 3, 0, 2]])
adj = torch.zeros(6, 6)
adj[edges[0], edges[1]] = 1
adj = ((adj + adj.t()) > 0).float()
x, y = torch.randn(6, 4), torch.tensor([0, 1, 0, 1, 0, 1])
gcn = GCN(4, 2)
opt = torch.optim.Adam(gcn.parameters(), lr=0.01)
for epoch in range(3):
    loss = nn.functional.cross_entropy(gcn(x, adj), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
