import torch
from torch import nn


class Recommender(nn.Module):
    def __init__(self, users, items, size):
        super().__init__()
        self.users, self.items = nn.Embedding(users, size), nn.Embedding(items, size)

    def forward(self, user, item):
        return (self.users(user) * self.items(item)).sum(-1)


torch.manual_seed(0)
model = Recommender(6, 9, 4)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=0.0)
for _ in range(3):
    user, item = torch.randint(0, 6, (5,)), torch.randint(0, 9, (5,))
    loss = nn.functional.mse_loss(model(user, item), torch.rand(5))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
