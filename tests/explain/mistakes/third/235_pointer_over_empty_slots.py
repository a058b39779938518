import torch
from torch import nn


class Pointer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.query, self.key = nn.Linear(size, size), nn.Linear(size, size)

    def forward(self, state, items, counts):
        scores = torch.einsum("bd,bnd->bn", self.query(state), self.key(items))
        free = torch.arange(items.shape[1])[None] < counts[:, None]
        scores = scores.masked_fill(~free, float("-inf"))
        weights = torch.softmax(scores, dim=1)
        return torch.einsum("bn,bnd->bd", weights, items)


torch.manual_seed(0)
model = Pointer(4)
counts = torch.tensor([3, 1, 0, 2])
out = model(torch.randn(4, 4), torch.randn(4, 3, 4), counts)
loss = out.pow(2).mean()
loss.backward()
print(loss)
