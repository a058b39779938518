"""A scalar function of a scalar with a covector other than 1, which scales the derivative."""

import numpy as np
import torch

weight = 100.0
x = torch.tensor(1.0, requires_grad=True)
y = x**2
y.backward(torch.tensor(weight))

J = np.array([[2 * x.item()]])
v = np.array([weight])
print("y:     ", y)
print("J:     ", J)
print("v:     ", v)
print("vᵀ·J:  ", v @ J)
print("x.grad:", x.grad)
