"""Signals are divided by their root mean square, one of which is silent.

https://github.com/mpariente/pytorch_stoi/issues/7
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
signal = torch.cat([torch.randn(1, 8), torch.zeros(1, 8)]).requires_grad_()
power = torch.sqrt((signal * signal).sum(dim=1, keepdim=True))
normal = signal / power  # <-- culprit
loss = normal.sum()
answer = explain.why_nan(loss)
