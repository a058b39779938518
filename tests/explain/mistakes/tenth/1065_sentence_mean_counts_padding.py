import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(0)
sentences = [torch.randint(1, 40, (n,)) for n in (2, 9, 4, 12)]
ids = pad_sequence(sentences, batch_first=True)
labels = torch.tensor([0, 1, 0, 1])
emb, out = nn.Embedding(40, 10), nn.Linear(10, 2)
opt = torch.optim.Adagrad([*emb.parameters(), *out.parameters()], lr=0.05)
for _ in range(10):
    pooled = emb(ids).mean(dim=1)
    loss = nn.functional.cross_entropy(out(pooled), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
pooled = emb(ids).mean(dim=1)
