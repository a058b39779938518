"""A NaN gradient where no value of the forward pass is NaN: 0 · ∞ behind a where."""

import torch

from pullback import explain

x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, torch.sqrt(x), 0.0)
y.backward(torch.ones(2), retain_graph=True)
print("y:     ", y)
print("x.grad:", x.grad)
print(explain.why_nan(x))

x = torch.tensor([0.0, 4.0], requires_grad=True)
safe = torch.where(x > 0, x, 1.0)
y = torch.where(x > 0, torch.sqrt(safe), 0.0)
y.backward(torch.ones(2))
print("mended:", x.grad)
