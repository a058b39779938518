import torch
from torch import nn


class Interaction(nn.Module):
    def __init__(self, fields, size):
        self.embed = nn.ModuleList(nn.Embedding(n, size) for n in fields)
        super().__init__()
        self.out = nn.Linear(size, 1)

    def forward(self, x):
        parts = torch.stack([e(x[:, k]) for k, e in enumerate(self.embed)], 1)
        return self.out(parts.sum(1).pow(2) - parts.pow(2).sum(1)).squeeze(1)


torch.manual_seed(0)
model = Interaction((5, 8, 3), 4)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
x, y = torch.randint(0, 3, (10, 3)), torch.rand(10)
loss = nn.functional.mse_loss(model(x), y)
loss.backward()
optimizer.step()
