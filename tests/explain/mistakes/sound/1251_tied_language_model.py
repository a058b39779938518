import torch
from torch import nn


class Tied(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.emb = nn.Embedding(vocab, width)
        self.rnn = nn.LSTM(width, width, batch_first=True)
        self.out = nn.Linear(width, vocab, bias=False)
        self.out.weight = self.emb.weight

    def forward(self, ids):
        return self.out(self.rnn(self.emb(ids))[0])


torch.manual_seed(0)
lm = Tied(18, 8)
opt = torch.optim.AdamW(lm.parameters(), lr=1e-3)
for _ in range(5):
    ids = torch.randint(0, 18, (6, 12))
    loss = nn.functional.cross_entropy(lm(ids[:, :-1]).transpose(1, 2), ids[:, 1:])
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(lm.parameters(), 1.0)
    opt.step()
