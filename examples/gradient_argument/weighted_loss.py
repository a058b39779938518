"""A loss of two numbers with a weight for each: the covector says how much each counts."""

import numpy as np
import torch

x = torch.tensor([2.0, 3.0], requires_grad=True)
loss = x * x
gradient = torch.tensor([1.0, 0.5])
loss.backward(gradient=gradient)

J = np.diag(2 * x.detach().numpy())
v = gradient.numpy()
print("J:", J, sep="\n")
print("v:     ", v)
print("vᵀ·J:  ", v @ J)
print("x.grad:", x.grad)

x.grad = None
(x * x).backward(torch.tensor([1.0, 1.0]))
print("x.grad with weights of 1:", x.grad)
