"""All keys of one query are masked out.

https://github.com/allenai/allennlp/issues/890
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
scores = torch.randn(2, 3, requires_grad=True)
mask = torch.tensor([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
masked = scores + mask.log()
weights = torch.log_softmax(masked, dim=1)  # <-- culprit
loss = weights[0].sum() + (weights[1] * 0.0).sum()
answer = explain.why_nan(loss)
