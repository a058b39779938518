"""The tensor itself as covector of its square: out.backward(a) leaves 2·a·a, not 2·a.

The derivative 2·a appears when the covector is made of ones.
"""

import numpy as np
import torch
from torch.autograd import Variable

a = Variable(torch.FloatTensor([[1, 2, 3], [4, 5, 6]]), requires_grad=True)
out = a * a
out.backward(a)

# With the six elements in a row, J is 6 × 6 and diagonal.
flat = a.detach().numpy().ravel()
J = np.diag(2 * flat)
v = flat
print("J:", J, sep="\n")
print("v:     ", v)
print("vᵀ·J:  ", v @ J)
print("a.grad:", a.grad, sep="\n")

a.grad = None
out = a * a
out.backward(torch.ones(2, 3))
print("v:     ", np.ones(6))
print("vᵀ·J:  ", np.ones(6) @ J)
print("a.grad:", a.grad, sep="\n")
