"""The first relu of a branch changes the input that the shortcut has saved.

https://github.com/pytorch/pytorch/issues/15428
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
shortcut = torch.nn.Sigmoid()
residual = torch.nn.Sequential(torch.nn.ReLU(inplace=True), torch.nn.Linear(3, 3))
x = torch.nn.Linear(3, 3)(torch.randn(2, 3))
sc = shortcut(x)
gate = sc * x
resd = residual(x)  # <-- culprit
loss = (resd + gate).sum()
try:
    loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
