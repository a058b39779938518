"""Gradients that arrive and are zero: each op on the way multiplied the covector by zero."""

import torch

x = torch.tensor([-2.0, 0.5, 9.0], requires_grad=True)
for name, y in [
    ("relu, negative inputs", torch.relu(x)),
    ("clamp, outside 0 … 1", torch.clamp(x, 0, 1)),
    ("round, a step function", torch.round(x)),
    ("sigmoid, saturated", torch.sigmoid(40 * x)),
    ("masked out", x * torch.tensor([0.0, 1.0, 1.0])),
    ("two paths that cancel", x - x),
]:
    (gradient,) = torch.autograd.grad(y, x, torch.ones(3))
    print(f"{name:24}", gradient)
