"""A scalar function of a scalar: the covector is one number, and 1 when it is left out."""

import numpy as np
import torch

x = torch.tensor(1.0, requires_grad=True)
y = x**2
y.backward()  # the same as y.backward(torch.tensor(1.0))

J = np.array([[2 * x.item()]])
v = np.array([1.0])
print("y:     ", y)
print("J:     ", J)
print("v:     ", v)
print("vᵀ·J:  ", v @ J)
print("x.grad:", x.grad)
