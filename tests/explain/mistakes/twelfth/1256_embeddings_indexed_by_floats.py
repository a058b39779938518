import numpy as np
import torch
from torch import nn

ratings = np.array([[0, 3, 4.5], [1, 2, 3.0], [2, 3, 5.0], [0, 1, 1.5]], dtype=np.float32)
table = torch.from_numpy(ratings)
users, items, stars = table.T


class MF(nn.Module):
    def __init__(self, n, m, k=3):
        super().__init__()
        self.u, self.v = nn.Embedding(n, k), nn.Embedding(m, k)

    def forward(self, u, v):
        return (self.u(u) * self.v(v)).sum(-1)


torch.manual_seed(0)
model = MF(3, 4)
opt = torch.optim.Adam(model.parameters(), lr=0.1)
loss = nn.functional.mse_loss(model(users, items), stars)
loss.backward()
opt.step()
