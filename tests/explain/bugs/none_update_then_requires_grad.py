"""The update makes a new tensor, which is then told to require grad: the loss leads to the old one."""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
x, y = torch.randn(8, 3), torch.randn(8)
loss = (x @ w - y).square().mean()
loss.backward()
with torch.no_grad():
    w = w - 0.1 * w.grad  # <-- culprit
    w.requires_grad_()
answer = explain.why_none(w)
