"""The update gives the name to a new tensor; the second turn has no gradient.

https://github.com/BaiTheBest/SparseLLM/issues/13
"""

import pullback as torch
from pullback import explain

x = torch.tensor([1.0, 2.0])
w = torch.tensor([0.5, 0.5], requires_grad=True)
for _ in range(2):
    loss = (w * x).sum() ** 2
    loss.backward()
    if w.grad is None:
        break
    w = w - 0.1 * w.grad  # <-- culprit
answer = explain.why_none(w)
