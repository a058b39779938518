"""A scalar function of a vector, here through Python's own sum(): J is a single row, the gradient."""

import numpy as np
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = sum(x)
y.backward()

J = np.array([[1.0, 1.0]])
v = np.array([1.0])
print("y:     ", y)
print("J:     ", J)
print("v:     ", v)
print("vᵀ·J:  ", v @ J)
print("x.grad:", x.grad)
