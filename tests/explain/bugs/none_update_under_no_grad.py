"""Under no_grad the update makes a tensor that does not require grad.

https://discuss.pytorch.org/t/leaf-variable-was-used-in-an-inplace-operation/308
"""

import pullback as torch
from pullback import explain

x = torch.tensor([1.0, 2.0])
w = torch.tensor([0.5, 0.5], requires_grad=True)
loss = (w * x).sum() ** 2
loss.backward()
with torch.no_grad():
    w = w - 0.1 * w.grad  # <-- culprit
answer = explain.why_none(w)
