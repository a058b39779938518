import torch
from torch import nn


class ClickModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.user, self.item = nn.Embedding(10, 4), nn.Embedding(20, 4)
        self.out = nn.Linear(8, 1)

    def forward(self, u, i):
        return self.out(torch.cat([self.user(u), self.item(i)], 1))


torch.manual_seed(0)
model, criterion = ClickModel(), nn.BCEWithLogitsLoss()
u, i = torch.randint(0, 10, (8,)), torch.randint(0, 20, (8,))
clicked = torch.randint(0, 2, (8,)).float()
loss = criterion(model(u, i), clicked)
loss.backward()
