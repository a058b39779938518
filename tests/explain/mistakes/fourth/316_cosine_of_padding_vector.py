import torch
from torch import nn


def cosine(a, b):
    return (a * b).sum(-1) / (a.norm(dim=-1) * b.norm(dim=-1))


torch.manual_seed(0)
words = nn.Embedding(9, 5, padding_idx=0)
optimizer = torch.optim.Adam(words.parameters(), lr=1e-2)
left, right = torch.tensor([3, 1, 0, 7]), torch.tensor([4, 1, 2, 5])
close = torch.tensor([1.0, 1.0, 0.0, 0.0])
similarity = cosine(words(left), words(right))
loss = nn.functional.mse_loss(similarity, close)
optimizer.zero_grad()
loss.backward()
print(loss)
