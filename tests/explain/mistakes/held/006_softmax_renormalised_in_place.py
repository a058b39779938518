import torch
import torch.nn as nn


class TopKAttention(nn.Module):
    def __init__(self, d, k):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.keep = k

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(-2, -1)
        weights = torch.softmax(scores, dim=-1)
        threshold = weights.topk(self.keep, dim=-1).values[..., -1:]
        weights[weights < threshold] = 0
        weights = weights / weights.sum(-1, keepdim=True)
        return weights @ self.v(x)


torch.manual_seed(0)
layer = TopKAttention(4, 2)
out = layer(torch.randn(2, 5, 4))
loss = out.square().mean()
loss.backward()
