"""A second backward through a graph whose saved values the first one freed."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
y.backward()
try:
    y.backward()
except RuntimeError as error:
    print("RuntimeError:", error)
    for note in error.__notes__:
        print(note)
