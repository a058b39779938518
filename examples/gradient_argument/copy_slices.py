"""The outputs written one by one into a tensor that was empty before.

Each assignment is part of the graph: y remembers where its elements came from, which its grad_fn calls
CopySlices.
"""

import numpy as np
import torch

weights = [1.0, 10.0, 100.0]
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.empty(3)
y[0] = 3 * x[0] ** 2
y[1] = x[0] ** 2 + 2 * x[1] ** 3
y[2] = 10 * x[1]
y.backward(torch.tensor(weights))

x0, x1 = x.tolist()
J = np.array([[6 * x0, 0], [2 * x0, 6 * x1**2], [0, 10]])
v = np.array(weights)
print("y:     ", y)
print("J:", J, sep="\n")
print("v:     ", v)
print("vᵀ·J:  ", v @ J)
print("x.grad:", x.grad)
