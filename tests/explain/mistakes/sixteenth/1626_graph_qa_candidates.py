import torch
import torch.nn.functional as F
from torch import nn


class GCNAnswerer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gcn1 = nn.Linear(d, d)
        self.gcn2 = nn.Linear(d, d)
        self.out = nn.Linear(2 * d, 1)

    def forward(self, nodes, adj, query):
        h = torch.relu(self.gcn1(adj @ nodes)) + nodes
        h = torch.relu(self.gcn2(adj @ h)) + h
        q = query[:, None].expand_as(h)
        scores = self.out(torch.cat([h * q, h], dim=-1)).squeeze(-1)
        return F.softmax(scores, dim=-1)


torch.manual_seed(0)
nodes = torch.randn(16, 10, 8)
answer = torch.randint(0, 10, (16,))
query = nodes[torch.arange(16), answer] + 0.1 * torch.randn(16, 8)
adj = torch.eye(10) * 0.9 + 0.01
model = GCNAnswerer(8)
loss_fn = nn.CrossEntropyLoss()
optim = torch.optim.Adam(model.parameters(), lr=2e-2)
for epoch in range(25):
    optim.zero_grad()
    loss = loss_fn(model(nodes, adj, query), answer)
    loss.backward()
    optim.step()
    if epoch % 5 == 0:
        print(epoch, loss.item())
