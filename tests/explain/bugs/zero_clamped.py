"""The prediction lies outside the clamp.

https://discuss.pytorch.org/t/exluding-torch-clamp-from-backpropagation-as-tf-stop-gradient-in-tensorflow/52404
"""

import pullback as torch
from pullback import explain

action = torch.tensor([3.0, -4.0], requires_grad=True)
bounded = action.clamp(-1.0, 1.0)  # <-- culprit
loss = ((bounded - 0.5) ** 2).sum()
loss.backward(retain_graph=True)
answer = explain.why_zero(action)
