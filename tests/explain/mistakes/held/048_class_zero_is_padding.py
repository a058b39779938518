import torch
from torch import nn


class Recommender(nn.Module):
    def __init__(self, users, items, d):
        super().__init__()
        self.user = nn.Embedding(users, d, padding_idx=0)
        self.item = nn.Embedding(items, d)

    def forward(self, users, items):
        return (self.user(users) * self.item(items)).sum(1)


torch.manual_seed(0)
model = Recommender(3, 6, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
users = torch.tensor([0, 0, 0, 1, 1, 2, 2, 0])
items = torch.tensor([1, 2, 3, 0, 4, 5, 1, 5])
ratings = torch.tensor([5.0, 1, 4, 3, 2, 5, 1, 2])
for epoch in range(4):
    loss = nn.functional.mse_loss(model(users, items), ratings)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
print(model.user.weight)
