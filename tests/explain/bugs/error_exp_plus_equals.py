"""exp saves its result, which is then added to in place.

https://discuss.pytorch.org/t/encounter-the-runtimeerror-one-of-the-variables-needed-for-gradient-computation-has-been-modified-by-an-inplace-operation/836
"""

import pullback as torch
from pullback import explain

x = torch.tensor([0.0, 1.0], requires_grad=True)
y = x.exp()
y += 1  # <-- culprit
loss = y.sum()
try:
    loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
