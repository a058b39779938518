"""The step before has written nan into the weights.

https://github.com/jadore801120/attention-is-all-you-need-pytorch/issues/5
"""

import pullback as torch
from pullback import explain

w = torch.tensor([0.0, 4.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = (torch.sqrt(w) * torch.tensor([0.0, 1.0])).sum()
    loss.backward()
    optimizer.step()  # <-- culprit
answer = explain.why_nan(loss)
