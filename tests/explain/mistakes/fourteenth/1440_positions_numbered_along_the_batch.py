import torch
from torch import nn


class Embed(nn.Module):
    def __init__(self, vocab, d, max_len=64):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        self.pos = nn.Embedding(max_len, d)

    def forward(self, x):
        where = torch.arange(x.size(0))[:, None]
        return self.tok(x) + self.pos(where)


torch.manual_seed(0)
enc = Embed(20, 16)
out = nn.Linear(16, 2)
opt = torch.optim.Adam([*enc.parameters(), *out.parameters()], lr=1e-2)
ids = torch.randint(0, 20, (32, 8))
y = (ids[:, 0] > ids[:, -1]).long()
for epoch in range(10):
    h = torch.tanh(enc(ids)).mean(1)
    loss = nn.functional.cross_entropy(out(h), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
zeros = torch.zeros(4, 8, dtype=torch.long)
