"""The polar angle of the origin.

https://github.com/facebookresearch/fairchem/pull/1574
"""

import pullback as torch
from pullback import explain

point = torch.zeros(2, requires_grad=True)
angle = torch.atan2(point[1], point[0])  # <-- culprit
angle.backward()
answer = explain.why_nan(point)
