"""An elementwise function of a vector: J is diagonal, so each entry of the covector scales one derivative."""

import numpy as np
import torch

weights = [1.0, 10.0]
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = 3 * x**2
y.backward(torch.tensor(weights))

J = np.diag(6 * x.detach().numpy())
v = np.array(weights)
print("y:     ", y)
print("J:", J, sep="\n")
print("v:     ", v)
print("vᵀ·J:  ", v @ J)
print("x.grad:", x.grad)
