"""A norm written out as the root of a sum of squares, of a zero vector.

https://github.com/photosynthesis-team/piq/issues/308
"""

import pullback as torch
from pullback import explain

image = torch.zeros(3, 4, requires_grad=True)
edges = image[:, 1:] - image[:, :-1]
energy = (edges * edges).sum(dim=0)
magnitude = torch.sqrt(energy)  # <-- culprit
loss = magnitude.mean()
loss.backward()
answer = explain.why_nan(image)
