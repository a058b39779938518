import itertools

import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, size, words):
        super().__init__()
        self.cell, self.out = nn.GRUCell(size, size), nn.Linear(size, words)

    def forward(self, h, steps):
        rows = []
        for _ in range(steps):
            h = self.cell(h, h)
            rows.append(self.out(h))
        return torch.stack(rows, 1)


torch.manual_seed(0)
encoder, decoder = nn.Linear(7, 6), Decoder(6, 9)
start = decoder.out.weight.detach().clone()
optimizer = torch.optim.Adam(itertools.chain(encoder.parameters(), decoder.cell.parameters()), lr=1e-3)
for _ in range(3):
    words = torch.randint(0, 9, (4, 5))
    loss = nn.functional.cross_entropy(decoder(encoder(torch.randn(4, 7)), 5).transpose(1, 2), words)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
