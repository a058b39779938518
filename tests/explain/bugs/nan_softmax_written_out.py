"""A softmax written out overflows.

https://github.com/pyg-team/pytorch_geometric/issues/53
"""

import pullback as torch
from pullback import explain

scores = torch.tensor([10.0, 500.0], requires_grad=True)
grown = torch.exp(scores)  # <-- culprit
p = grown / grown.sum()
loss = p.sum()
answer = explain.why_nan(loss)
