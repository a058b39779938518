"""A mask shows the future and hides the past."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)
emb, out = nn.Embedding(9, 8), nn.Linear(8, 9)
att = nn.MultiheadAttention(8, 2, batch_first=True)
opt = torch.optim.SGD([*emb.parameters(), *att.parameters(), *out.parameters()], lr=0.1)
ids = torch.randint(0, 9, (4, 7))
mask = torch.ones(6, 6).tril(-1).bool()  # <-- culprit
for _ in range(3):
    h = emb(ids[:, :-1])
    h = att(h, h, h, attn_mask=mask)[0]
    loss = F.cross_entropy(out(h).flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
