"""torch.tensor copies the values of tensors without their history.

https://github.com/pytorch/pytorch/issues/61410
"""

import pullback as torch
from pullback import explain

a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
both = torch.tensor([a * 2, b * 3])  # <-- culprit
both.requires_grad = True
both.sum().backward()
answer = explain.why_none(a)
