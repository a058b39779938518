import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
V, D = 12, 16
emb, pos, out = nn.Embedding(V, D), nn.Embedding(10, D), nn.Linear(D, V)
att = nn.MultiheadAttention(D, 2, batch_first=True)
params = [q for m in (emb, pos, out, att) for q in m.parameters()]
opt = torch.optim.Adam(params, lr=1e-2)


def causal(n):
    block = torch.full((n, n), float('-inf'))
    return torch.tril(block, diagonal=-1)


seq = (torch.arange(11)[None] * torch.randint(1, 4, (16, 1))) % V
for step in range(30):
    x, y = seq[:, :-1], seq[:, 1:]
    h = emb(x) + pos(torch.arange(10))
    a, _ = att(h, h, h, attn_mask=causal(10))
    loss = F.cross_entropy(out(h + a).transpose(1, 2), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
