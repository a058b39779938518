"""A loss of two numbers has no covector by default: backward() asks for one and leaves x.grad as it was.

Ones are no safe default, for they would silently mean "the sum of the losses".
"""

import numpy as np
import torch

x = torch.tensor([2.0, 3.0], requires_grad=True)
loss = x * x
try:
    loss.backward()
except RuntimeError as error:
    print("RuntimeError:", error)
print("x.grad:", x.grad)

loss.backward(torch.ones(2))
J = np.diag(2 * x.detach().numpy())
v = np.ones(2)
print("J:", J, sep="\n")
print("v:     ", v)
print("vᵀ·J:  ", v @ J)
print("x.grad:", x.grad)

x.grad = None
(x * x).sum().backward()
print("x.grad of the sum:", x.grad)
