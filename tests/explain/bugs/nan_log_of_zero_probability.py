"""The log of a probability that has become 0.

https://discuss.pytorch.org/t/getting-nan-after-first-iteration-with-custom-loss/25929
"""

import pullback as torch
from pullback import explain

logits = torch.tensor([200.0, 0.0, -200.0], requires_grad=True)
p = torch.softmax(logits, dim=0)
entropy_terms = torch.log(p)  # <-- culprit
loss = -(p * entropy_terms).sum()
answer = explain.why_nan(loss)
