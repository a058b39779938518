"""A softmax by hand takes the largest score away, which is -inf in a row that is masked throughout."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
query, key = nn.Linear(4, 4), nn.Linear(4, 4)
x = torch.rand(2, 3, 4)
mask = torch.zeros(2, 3, 3, dtype=torch.bool)
mask[1, 2] = True
optimizer = torch.optim.SGD([*query.parameters(), *key.parameters()], lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    scores = (query(x) @ key(x).transpose(-1, -2)).masked_fill(mask, float("-inf"))
    scores = scores - scores.max(dim=-1, keepdim=True).values  # <-- culprit
    loss = (scores.exp() / scores.exp().sum(-1, keepdim=True)).square().sum()
    loss.backward()
    optimizer.step()
