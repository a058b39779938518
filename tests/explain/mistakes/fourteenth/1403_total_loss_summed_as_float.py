import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
emb, cell, out = nn.Embedding(15, 8), nn.GRUCell(8, 16), nn.Linear(16, 15)
params = [*emb.parameters(), *cell.parameters(), *out.parameters()]
opt = torch.optim.Adam(params, lr=1e-3)


def decode(h, tgt):
    total = 0.0
    tok = torch.zeros(tgt.size(0), dtype=torch.long)
    for t in range(tgt.size(1)):
        h = cell(emb(tok), h)
        logits = out(h)
        total += F.cross_entropy(logits, tgt[:, t]).item()
        tok = tgt[:, t]
    return total / tgt.size(1)


for step in range(3):
    tgt = torch.randint(1, 15, (8, 5))
    loss = decode(torch.zeros(8, 16), tgt)
    opt.zero_grad()
    loss.backward()
    opt.step()
