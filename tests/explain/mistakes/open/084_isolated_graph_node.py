import torch
import torch.nn as nn


def normalise(adj):
    degree = adj.sum(1)
    inv_sqrt = degree.pow(-0.5)
    return inv_sqrt.unsqueeze(1) * adj * inv_sqrt.unsqueeze(0)


class GCN(nn.Module):
    def __init__(self, fin, classes):
        super().__init__()
        self.lin = nn.Linear(fin, classes)

    def forward(self, adj, x):
        return normalise(adj) @ self.lin(x)


torch.manual_seed(0)
adj = torch.tensor([[0.0, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]])
gcn = GCN(3, 2)
x, y = torch.randn(4, 3), torch.tensor([0, 1, 1, 0])
loss = nn.functional.cross_entropy(gcn(adj, x), y)
loss.backward()
print(loss.item(), gcn.lin.weight.grad)
