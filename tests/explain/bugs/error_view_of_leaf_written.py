"""Columns of a weight are edited while ops are recorded.

https://github.com/Hunter-DDM/knowledge-neurons/issues/14
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
layer = torch.nn.Linear(3, 2)
edit = torch.ones(2)
try:
    layer.weight[:, 1] += edit  # <-- culprit
except RuntimeError as error:
    answer = explain.why_error(error)
