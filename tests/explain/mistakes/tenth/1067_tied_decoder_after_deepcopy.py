import copy

import torch
from torch import nn


class LM(nn.Module):
    def __init__(self, vocab=15, width=6):
        super().__init__()
        self.encoder = nn.Embedding(vocab, width)
        self.decoder = nn.Linear(width, vocab, bias=False)
        self.decoder.weight = copy.deepcopy(self.encoder.weight)

    def forward(self, ids):
        return self.decoder(self.encoder(ids))


torch.manual_seed(0)
lm = LM()
opt = torch.optim.Adam(lm.parameters(), lr=0.01)
ids = torch.randint(0, 15, (8, 6))
for _ in range(5):
    loss = nn.functional.cross_entropy(lm(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
