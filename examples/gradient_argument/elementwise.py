"""An elementwise function of a vector: J is diagonal, and a covector of ones adds up its rows."""

import numpy as np
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = 3 * x**2
y.backward(torch.tensor([1.0, 1.0]))

J = np.diag(6 * x.detach().numpy())
v = np.array([1.0, 1.0])
print("y:     ", y)
print("J:", J, sep="\n")
print("v:     ", v)
print("vᵀ·J:  ", v @ J)
print("x.grad:", x.grad)
