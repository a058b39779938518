"""An infinity that the program computes itself is multiplied by a mask that is 0 there."""

import pullback as torch

x = torch.tensor([0.5, 0.0, 2.0], requires_grad=True)
mask = torch.tensor([1.0, 0.0, 1.0])
logarithm = torch.log(x)  # <-- culprit
(logarithm * mask).sum().backward()
