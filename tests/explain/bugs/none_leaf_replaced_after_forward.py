"""The leaf is made anew between forward and backward.

https://github.com/tristandeleu/pytorch-meta/issues/91
"""

import pullback as torch
from pullback import explain

x = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (x**2).sum()
x = x.clone().detach().requires_grad_(True)  # <-- culprit
loss.backward()
answer = explain.why_none(x)
