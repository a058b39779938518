"""The leaf is made anew between forward and backward.

https://discuss.pytorch.org/t/runtimeerror-one-of-the-differentiated-tensors-appears-to-not-have-been-used-in-the-graph/71125
"""

import pullback as torch
from pullback import explain

x = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (x**2).sum()
x = x.clone().detach().requires_grad_(True)  # <-- culprit
loss.backward()
answer = explain.why_none(x)
