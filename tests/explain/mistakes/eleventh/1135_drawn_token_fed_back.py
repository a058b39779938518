import torch
from torch import nn


class Writer(nn.Module):
    def __init__(self, vocab=9, width=8):
        super().__init__()
        self.start = nn.Parameter(torch.zeros(1, width))
        self.cell, self.out = nn.GRUCell(width, width), nn.Linear(width, vocab)
        self.embed = nn.Embedding(vocab, width)

    def forward(self, h, steps):
        x, text = self.start.expand(len(h), -1), []
        for _ in range(steps):
            h = self.cell(x, h)
            token = torch.multinomial(self.out(h).softmax(-1), 1)[:, 0]
            x = self.embed(token)
            text.append(x)
        return torch.stack(text, 1)


torch.manual_seed(0)
writer, judge = Writer(), nn.Linear(8, 1)
score = judge(writer(torch.randn(6, 8), 5).mean(1))
loss = nn.functional.softplus(-score).mean()
loss.backward()
