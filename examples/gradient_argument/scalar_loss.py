"""A loss of one number in two steps, y = x² and loss = 3·y: the chain rule multiplies their Jacobians."""

import numpy as np
import torch

x = torch.tensor(2.0, requires_grad=True)
y = x * x
loss = y * 3
loss.backward()

J = np.array([[3.0]]) @ np.array([[2 * x.item()]])
v = np.array([1.0])
print("J:     ", J)
print("v:     ", v)
print("vᵀ·J:  ", v @ J)
print("x.grad:", x.grad)
