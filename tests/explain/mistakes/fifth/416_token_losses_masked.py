import torch
from torch import nn


def masked_loss(logits, target, pad):
    each = nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), reduction="none")
    return each * (target.flatten() != pad)


torch.manual_seed(0)
embed, gru, out = nn.Embedding(9, 6), nn.GRU(6, 6, batch_first=True), nn.Linear(6, 9)
tokens = torch.tensor([[3, 4, 1, 0], [5, 2, 0, 0]])
hidden, _ = gru(embed(tokens[:, :-1]))
loss = masked_loss(out(hidden), tokens[:, 1:], 0)
loss.backward()
