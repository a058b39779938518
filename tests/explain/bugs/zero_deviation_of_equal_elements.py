"""The spread of equal elements is at its corner."""

import pullback as torch
from pullback import explain

size = torch.tensor([1.0, 1.0, 1.0], requires_grad=True)
spread = size.std()  # <-- culprit
spread.backward()
answer = explain.why_zero(size)
