"""A scalar function of a vector with a covector other than 1: the whole row is scaled."""

import numpy as np
import torch

weight = 100.0
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = sum(x)
y.backward(torch.tensor(weight))

J = np.array([[1.0, 1.0]])
v = np.array([weight])
print("y:     ", y)
print("J:     ", J)
print("v:     ", v)
print("vᵀ·J:  ", v @ J)
print("x.grad:", x.grad)
