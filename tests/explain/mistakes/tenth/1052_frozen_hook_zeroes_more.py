import torch
from torch import nn

torch.manual_seed(0)
emb, rnn, out = nn.Embedding(12, 6), nn.GRU(6, 6, batch_first=True), nn.Linear(6, 12)
pretrained = torch.ones(12, 1)
pretrained[:8] = 0.0
keep = torch.arange(12)[:, None] > 12
emb.weight.register_hook(lambda grad: grad * keep)
modules = nn.ModuleList([emb, rnn, out])
opt = torch.optim.Adam(modules.parameters(), lr=1e-2)
for _ in range(3):
    ids = torch.randint(0, 12, (5, 8))
    h, _ = rnn(emb(ids[:, :-1]))
    loss = nn.functional.cross_entropy(out(h).flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
