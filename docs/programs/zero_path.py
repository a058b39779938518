"""Where on its path a covector becomes zero."""

import torch

x = torch.tensor([-2.0, -0.5], requires_grad=True)
hidden = torch.relu(3 * x)
y = (hidden * hidden).sum()
y.backward()
print("x.grad:", x.grad)
