"""A covector for a matrix of outputs has the shape of that matrix, not of the input or of the parameters.

For out = x·a with x of 2 × 3 and a of 3 × 4, v is 2 × 4, and vᵀ·J in the shape of x is v·aᵀ.
"""

import numpy as np
import torch

x = torch.ones(2, 3, requires_grad=True)
a = torch.ones(3, 4)
gradient = torch.tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
out = torch.mm(x, a)
out.backward(gradient)

# With the eight outputs in a row and the six inputs in a row, J is 8 × 6: aᵀ once for each row of x.
J = np.kron(np.eye(2), a.numpy().T)
v = gradient.numpy().ravel()
print("J:", J, sep="\n")
print("v:     ", v)
print("vᵀ·J:  ", v @ J)
print("v·aᵀ:", gradient.numpy() @ a.numpy().T, sep="\n")
print("x.grad:", x.grad, sep="\n")
