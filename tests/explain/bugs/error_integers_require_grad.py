"""Integers are asked to require grad.

https://github.com/pytorch/pytorch/issues/53466
"""

import pullback as torch
from pullback import explain

try:
    x = torch.tensor([1, 2, 3], requires_grad=True)  # <-- culprit
except RuntimeError as error:
    answer = explain.why_error(error)
