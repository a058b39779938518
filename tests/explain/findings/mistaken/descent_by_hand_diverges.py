"""Steps that the program makes itself, without an optimizer, are too large."""

import pullback as torch

x = torch.linspace(0, 100, 50)
a = torch.zeros(1, requires_grad=True)
for _ in range(40):
    loss = (a * x - 3 * x).square().mean()
    loss.backward()
    with torch.no_grad():
        a -= 0.01 * a.grad  # <-- culprit
    a.grad = None
