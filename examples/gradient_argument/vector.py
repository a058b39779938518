"""Three outputs of two inputs: each entry of the covector weighs one row of J.

Here y = (3·x0², x0² + 2·x1³, 10·x1).
"""

import numpy as np
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
weights = [1.0, 10.0, 100.0]
y = torch.stack([3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]])
y.backward(gradient=torch.tensor(weights))

x0, x1 = x.tolist()
J = np.array([[6 * x0, 0], [2 * x0, 6 * x1**2], [0, 10]])
v = np.array(weights)
print("y:     ", y)
print("J:", J, sep="\n")
print("v:     ", v)
print("vᵀ·J:  ", v @ J)
print("x.grad:", x.grad)
