"""A transformer encoder with a head."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
m = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)
head = nn.Linear(8, 3)
o = torch.optim.Adam([*m.parameters(), *head.parameters()], lr=0.001)
for _ in range(4):
    x = torch.randn(4, 5, 8)
    y = torch.randint(0, 3, (4,))
    loss = nn.functional.cross_entropy(head(m(x).mean(1)), y)
    o.zero_grad()
    loss.backward()
    o.step()
