import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.query, self.key = nn.Linear(size, size), nn.Linear(size, size)
        self.value = nn.Linear(size, size)
        self.map = None

    def weights(self, x):
        scores = self.query(x) @ self.key(x).transpose(1, 2) / x.shape[-1] ** 0.5
        self.map = scores.softmax(-1).detach()
        return self.map

    def forward(self, x):
        return self.weights(x) @ self.value(x)


torch.manual_seed(0)
block, head = Attention(6), nn.Linear(6, 2)
optimizer = torch.optim.Adam([*block.parameters(), *head.parameters()], lr=1e-3)
for _ in range(2):
    x, y = torch.randn(3, 5, 6), torch.randint(0, 2, (3,))
    loss = nn.functional.cross_entropy(head(block(x).mean(1)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
