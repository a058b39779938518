"""Two losses of one graph go back one after the other.

https://discuss.pytorch.org/t/runtimeerror-trying-to-backward-through-the-graph-a-second-time-but-the-buffers-have-already-been-freed-specify-retain-graph-true-when-calling-backward-the-first-time/6795/2
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
x = torch.randn(3, requires_grad=True)
h = torch.exp(x)
first = h.sum()
second = (h * h).sum()
first.backward()  # <-- culprit
try:
    second.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
