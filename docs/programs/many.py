"""Several covectors pulled back through one graph in one pass."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.stack([3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]])
V = torch.eye(3)

print("one after the other:")
for v in V:
    print("  ", torch.autograd.grad(y, x, v, retain_graph=True)[0])

rows = torch.autograd.vjps(y, V, x)
print("in one pass; the rows of the identity give J itself:", rows, sep="\n")
