"""Where on its path a covector becomes zero."""

import torch

from pullback import explain

x = torch.tensor([-2.0, -0.5], requires_grad=True)
hidden = torch.relu(3 * x)
loss = ((hidden - 1) ** 2).sum()
loss.backward(retain_graph=True)
print("x.grad:", x.grad)
print(explain.why_zero(x))
