"""A softmax written out overflows.

https://discuss.pytorch.org/t/nan-loss-issue-with-softmax-implementation/44727
"""

import pullback as torch
from pullback import explain

scores = torch.tensor([10.0, 500.0], requires_grad=True)
grown = torch.exp(scores)  # <-- culprit
p = grown / grown.sum()
loss = p.sum()
answer = explain.why_nan(loss)
