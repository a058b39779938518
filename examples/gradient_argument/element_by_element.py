"""Six scalar outputs, one backward() each: a.grad gathers what a single covector of ones would give."""

import numpy as np
import torch

a = torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=torch.float, requires_grad=True)
for i in range(2):
    for j in range(3):
        out = a[i, j] * a[i, j]
        out.backward()

# Output k depends on element k only: the k-th backward adds the k-th row of J.
flat = a.detach().numpy().ravel()
J = np.diag(2 * flat)
v = np.ones(6)
print("J:", J, sep="\n")
print("v:     ", v)
print("vᵀ·J:  ", v @ J)
print("a.grad:", a.grad, sep="\n")
