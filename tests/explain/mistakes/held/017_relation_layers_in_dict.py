import torch
import torch.nn as nn


class RGCN(nn.Module):
    def __init__(self, width, relations, classes):
        super().__init__()
        self.relations = {r: nn.Linear(width, width, bias=False) for r in relations}
        self.out = nn.Linear(width, classes)

    def forward(self, x, graph):
        messages = sum(adj @ self.relations[r](x) for r, adj in graph.items())
        return self.out(torch.relu(messages))


torch.manual_seed(0)
graph = {r: torch.rand(6, 6).round() for r in ("cites", "writes")}
model = RGCN(4, graph, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
for epoch in range(5):
    loss = nn.functional.cross_entropy(model(x, graph), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
