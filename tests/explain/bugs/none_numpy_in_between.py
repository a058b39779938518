"""The computation passes through NumPy.

https://github.com/utiasSTARS/liegroups/issues/4
"""

import numpy as np

import pullback as torch
from pullback import explain

w = torch.tensor([1.0, 2.0], requires_grad=True)
bias = torch.tensor(0.0, requires_grad=True)
values = np.exp(w.detach().numpy())  # <-- culprit
loss = (torch.from_numpy(values) + bias).sum()
loss.backward()
answer = explain.why_none(w)
