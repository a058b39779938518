import torch
from torch import nn


class Ranker(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.embed = nn.Embedding(30, size)
        self.score = nn.Linear(size, 1)

        def forward(self, items):
            return self.score(self.embed(items)).squeeze(-1)


torch.manual_seed(0)
model = Ranker(8)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
good, bad = torch.randint(0, 30, (6,)), torch.randint(0, 30, (6,))
loss = -nn.functional.logsigmoid(model(good) - model(bad)).mean()
optimizer.zero_grad()
loss.backward()
optimizer.step()
