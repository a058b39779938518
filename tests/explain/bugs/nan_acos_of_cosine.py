"""The angle of equal vectors: arccos at 1.

https://github.com/pytorch/pytorch/issues/8069
"""

import pullback as torch
from pullback import explain

a = torch.tensor([1.0, 0.0], requires_grad=True)
b = torch.tensor([1.0, 0.0])
cosine = (a * b).sum()
angle = torch.acos(cosine)  # <-- culprit
angle.backward()
answer = explain.why_nan(a)
