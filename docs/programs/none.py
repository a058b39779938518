"""Four ways to a gradient that is None, and what pullback says of each."""

import torch

from pullback import explain

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)

loss = (x.detach() * w).sum()
loss.backward()
print(explain.why_none(x), end="\n\n")

with torch.no_grad():
    hidden = x * 3
loss = (hidden * w).sum()
loss.backward()
print(explain.why_none(x), end="\n\n")

hidden = x * w
loss = (hidden * hidden).sum()
loss.backward()
print(explain.why_none(hidden), end="\n\n")

count = torch.tensor([1, 2])
loss = (count * w).sum()
loss.backward()
print(explain.why_none(count))
