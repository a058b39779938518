"""The direction loss uses sign, which has no slope.

https://github.com/snap-stanford/GEARS/issues/36
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
prediction = torch.randn(5, requires_grad=True)
target = torch.randn(5)
direction = torch.sign(prediction)  # <-- culprit
loss = ((direction - torch.sign(target)) ** 2).mean()
loss.backward()
answer = explain.why_zero(prediction)
