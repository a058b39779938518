import torch
from torch import nn
import torch.nn.functional as F


class Recommender(nn.Module):
    def __init__(self, users, items, dim=8):
        super().__init__()
        self.u = nn.Embedding(users, dim)
        self.i = nn.Embedding(items, dim)

    def forward(self, user, item):
        return (self.u(user) * self.i(item)).sum(-1)


def bpr(pos_score, neg_score):
    return -F.logsigmoid(neg_score - pos_score).mean()


torch.manual_seed(0)
model = Recommender(20, 50)
opt = torch.optim.Adam(model.parameters(), lr=0.05)
u = torch.randint(0, 20, (300,))
pos = torch.randint(0, 25, (300,))
for epoch in range(20):
    neg = torch.randint(25, 50, (300,))
    loss = bpr(model(u, pos), model(u, neg))
    opt.zero_grad()
    loss.backward()
    opt.step()
