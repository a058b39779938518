import torch
from torch import nn
import torch.nn.functional as F


class LM(nn.Module):
    def __init__(self, vocab, d=24):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.rnn = nn.GRU(d, d, batch_first=True)
        self.out = nn.Linear(d, vocab)

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[0])


torch.manual_seed(0)
lm = LM(16)
opt = torch.optim.Adam(lm.parameters(), lr=2e-2)
corpus = torch.randint(0, 16, (20, 13))
for epoch in range(25):
    for seq in corpus.split(10):
        x, y = seq[:, :-1], seq[:, :-1]
        loss = F.cross_entropy(lm(x).flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
print('perplexity', loss.exp().item())
