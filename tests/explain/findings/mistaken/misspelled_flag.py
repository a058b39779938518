"""Misspelled flag."""

import pullback as torch
from pullback import nn


def freeze(module):
    for p in module.parameters():
        p.require_grad = False  # <-- culprit


torch.manual_seed(0)
body = nn.Sequential(nn.Linear(7, 12), nn.ReLU())
head = nn.Linear(12, 3)
start = body[0].weight.detach().clone()
freeze(body)
optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=1e-3)
for _ in range(3):
    x, y = torch.randn(6, 7), torch.randint(0, 3, (6,))
    loss = nn.functional.cross_entropy(head(body(x)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
