"""The covector picks one element that does not depend on the others.

https://github.com/pytorch/pytorch/issues/17893
"""

import pullback as torch
from pullback import explain

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
first = h[0]  # <-- culprit
first.backward()
answer = explain.why_zero(x)
