import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
PAD = 0
emb = nn.Embedding(20, 12, padding_idx=PAD)
rnn = nn.GRU(12, 12, batch_first=True)
out = nn.Linear(12, 20)
opt = torch.optim.Adam([*emb.parameters(), *rnn.parameters(), *out.parameters()], lr=1e-2)
seqs = [torch.randint(1, 20, (n,)) for n in (4, 7, 5, 9)]
ids = nn.utils.rnn.pad_sequence(seqs, batch_first=True, padding_value=PAD)
for step in range(10):
    x, y = ids[:, :-1], ids[:, 1:]
    logits = out(rnn(emb(x))[0])
    loss = F.cross_entropy(logits.transpose(1, 2), y, ignore_index=PAD)
    opt.zero_grad()
    loss.backward()
    opt.step()
