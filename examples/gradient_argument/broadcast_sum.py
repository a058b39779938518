"""A vector given to the sum of a vector: four covectors for one output, which accumulate in every element of
x.grad.

This is pullback's extension. PyTorch takes only a covector of the output's shape; there the loop below is
the way.
"""

import numpy as np
import torch

weights = [1.0, 10.0, 100.0, 1000.0]
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = sum(x)
y.backward(torch.tensor(weights))

J = np.array([[1.0, 1.0]])
J_repeated = np.repeat(J, len(weights), axis=0)
v = np.array(weights)
print("J:     ", J)
print("J repeated:", J_repeated, sep="\n")
print("v:     ", v)
print("vᵀ·J:  ", v @ J_repeated)
print("x.grad:", x.grad)

print("the same, one covector after the other:")
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = sum(x)
for weight in weights:
    y.backward(torch.tensor(weight), retain_graph=True)
    print("x.grad:", x.grad)
