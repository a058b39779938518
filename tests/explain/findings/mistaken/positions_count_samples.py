"""Positions are counted along the batch."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)
emb, pos, out = nn.Embedding(9, 6), nn.Embedding(20, 6), nn.Linear(6, 2)
opt = torch.optim.SGD([*emb.parameters(), *pos.parameters(), *out.parameters()], lr=0.1)
ids, y = torch.randint(0, 9, (8, 5)), torch.randint(0, 2, (8,))
for _ in range(3):
    at = torch.arange(len(ids)).unsqueeze(1)  # <-- culprit
    loss = F.cross_entropy(out((emb(ids) + pos(at)).mean(1)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
