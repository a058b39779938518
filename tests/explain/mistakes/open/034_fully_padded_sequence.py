import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x, mask):
        scores = self.q(x) @ self.k(x).transpose(1, 2) / x.size(-1) ** 0.5
        scores = scores.masked_fill(~mask.unsqueeze(1), float("-inf"))
        return torch.softmax(scores, dim=-1) @ self.v(x)


def collate(lengths, T, d):
    x = torch.randn(len(lengths), T, d)
    mask = torch.arange(T) < torch.tensor(lengths).unsqueeze(1)
    return x, mask


torch.manual_seed(0)
model = SelfAttention(6)
x, mask = collate([3, 5, 0], 5, 6)
out = model(x, mask)
loss = out[mask].pow(2).mean()
loss.backward()
print(loss.item(), model.v.weight.grad)
