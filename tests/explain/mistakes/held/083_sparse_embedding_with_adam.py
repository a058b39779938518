import torch
from torch import nn


class Item2Vec(nn.Module):
    def __init__(self, items, d):
        super().__init__()
        self.embed = nn.Embedding(items, d, sparse=True)
        self.context = nn.Linear(d, items)

    def forward(self, items):
        return self.context(self.embed(items))


torch.manual_seed(0)
model = Item2Vec(20, 4)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(2):
    items, after = torch.randint(0, 20, (8,)), torch.randint(0, 20, (8,))
    loss = nn.functional.cross_entropy(model(items), after)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
