import torch
from torch import nn


def masked(scores, keep):
    return scores.masked_fill(~keep, -1e9).softmax(-1)


torch.manual_seed(0)
layer = nn.Linear(8, 8).half()
x = torch.randn(2, 5, 8).half()
keep = torch.ones(2, 5, 5).tril().bool()
q = layer(x)
weights = masked(q @ q.transpose(1, 2), keep)
loss = (weights @ x).float().pow(2).mean()
loss.backward()
