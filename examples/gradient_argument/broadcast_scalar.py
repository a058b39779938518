"""A vector given to a scalar: a batch of covectors that accumulate, as if J were repeated once for each.

This is pullback's extension. PyTorch takes only a covector of the output's shape; there the loop below is
the way.
"""

import numpy as np
import torch

weights = [1.0, 10.0, 100.0, 1000.0]
x = torch.tensor(1.0, requires_grad=True)
y = x**2
y.backward(torch.tensor(weights))

J = np.array([[2 * x.item()]])
J_repeated = np.repeat(J, len(weights), axis=0)
v = np.array(weights)
print("J:     ", J)
print("J repeated:", J_repeated, sep="\n")
print("v:     ", v)
print("vᵀ·J:  ", v @ J_repeated)
print("x.grad:", x.grad)

print("the same, one covector after the other:")
x = torch.tensor(1.0, requires_grad=True)
y = x**2
for weight in weights:
    y.backward(torch.tensor(weight), retain_graph=True)
    print("x.grad:", x.grad)
