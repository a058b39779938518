import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

torch.manual_seed(0)
emb = nn.Embedding(30, 8, padding_idx=0)
rnn = nn.GRU(8, 12, batch_first=True)
out = nn.Linear(12, 2)
opt = torch.optim.Adam([*emb.parameters(), *rnn.parameters(), *out.parameters()], lr=1e-2)
for _ in range(4):
    lengths = torch.randint(2, 9, (6,))
    ids = pad_sequence([torch.randint(1, 30, (int(n),)) for n in lengths], batch_first=True)
    packed = pack_padded_sequence(emb(ids), lengths, batch_first=True, enforce_sorted=False)
    _, h = rnn(packed)
    loss = nn.functional.cross_entropy(out(h[-1]), lengths % 2)
    opt.zero_grad()
    loss.backward()
    opt.step()
