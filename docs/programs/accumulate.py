"""backward adds to .grad: two calls leave the sum."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = 3 * x**2
y.backward(torch.tensor([1.0, 0.0]), retain_graph=True)
print("after the first: ", x.grad)
y.backward(torch.tensor([0.0, 10.0]))
print("after the second:", x.grad)
