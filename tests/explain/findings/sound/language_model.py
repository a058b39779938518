"""An LSTM whose state is carried on, detached."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)


class LM(nn.Module):
    def __init__(s):
        super().__init__()
        s.e = nn.Embedding(12, 8)
        s.r = nn.LSTM(8, 16, batch_first=True)
        s.o = nn.Linear(16, 12)

    def forward(s, x, h=None):
        y, h = s.r(s.e(x), h)
        return (s.o(y), h)


m = LM()
o = torch.optim.AdamW(m.parameters(), lr=0.01)
h = None
for _ in range(5):
    x = torch.randint(0, 12, (4, 7))
    l, h = m(x[:, :-1], h)
    h = tuple(v.detach() for v in h)
    loss = nn.functional.cross_entropy(l.flatten(0, 1), x[:, 1:].flatten())
    o.zero_grad()
    loss.backward()
    o.step()
