"""Ten thousand squared does not fit into half precision.

https://github.com/huggingface/blog/pull/818
"""

import pullback as torch
from pullback import explain

weights = torch.tensor([10000.0, 2.0], dtype=torch.float16, requires_grad=True)
x = torch.tensor([10000.0, 1.0], dtype=torch.float16)
product = weights * x  # <-- culprit
loss = (product - product.mean()).sum()
answer = explain.why_nan(loss)
