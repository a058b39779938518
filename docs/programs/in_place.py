"""A value that backward needs is overwritten before backward runs."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y += 1
try:
    y.sum().backward()
except RuntimeError as error:
    print("RuntimeError:", error)
    for note in error.__notes__:
        print(note)

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp() + 1
y.sum().backward()
print("mended:", x.grad)
