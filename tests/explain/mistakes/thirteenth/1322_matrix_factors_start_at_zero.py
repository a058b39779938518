import torch
from torch import nn


class MF(nn.Module):
    def __init__(self, n_users, n_items, k=8):
        super().__init__()
        self.users = nn.Embedding(n_users, k)
        self.items = nn.Embedding(n_items, k)
        self.bias = nn.Parameter(torch.zeros(1))
        for table in (self.users, self.items):
            nn.init.zeros_(table.weight)

    def forward(self, u, i):
        return (self.users(u) * self.items(i)).sum(-1) + self.bias


torch.manual_seed(0)
model = MF(30, 40)
opt = torch.optim.Adam(model.parameters(), lr=0.01)
u, i = torch.randint(0, 30, (200,)), torch.randint(0, 40, (200,))
r = torch.randint(1, 6, (200,)).float()
for epoch in range(10):
    loss = nn.functional.mse_loss(model(u, i), r)
    opt.zero_grad()
    loss.backward()
    opt.step()
