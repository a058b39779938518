"""The distance of the origin from itself.

https://github.com/facebookresearch/fairchem/pull/1574 is such a derivative at the origin, of an angle; those
of `atan2` are zeros now.
"""

import pullback as torch
from pullback import explain

point = torch.zeros(2, requires_grad=True)
distance = torch.hypot(point[0], point[1])  # <-- culprit
distance.backward()
answer = explain.why_nan(point)
