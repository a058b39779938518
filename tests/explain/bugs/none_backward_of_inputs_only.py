"""backward is told to accumulate into some inputs only.

https://pytorch.org/docs/stable/generated/torch.Tensor.backward.html
"""

import pullback as torch
from pullback import explain

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
loss = a * b
loss.backward(inputs=[a])  # <-- culprit
answer = explain.why_none(b)
