"""exp overflows in the branch that where does not take.

https://github.com/pytorch/pytorch/issues/68425
"""

import pullback as torch
from pullback import explain

a = torch.tensor(100.0, requires_grad=True)
growing = torch.exp(a)  # <-- culprit
b = torch.where(a <= 0, growing, 1 + a)
b.backward(retain_graph=True)
answer = explain.why_nan(a)
