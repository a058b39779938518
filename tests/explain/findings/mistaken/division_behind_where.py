"""The branch of a `where` that is not taken divides by 0: NaN comes back from it."""

import pullback as torch

t = torch.linspace(-2, 2, 5, requires_grad=True)
sinc = torch.where(t == 0, torch.ones_like(t), torch.sin(t) / t)  # <-- culprit
sinc.square().sum().backward()
