import math

import torch

torch.manual_seed(0)
X = torch.randn(100, 3)
Y = X @ torch.tensor([1.5, -2.0, 0.7]) + 0.3
w = torch.randn(3, requires_grad=True) / math.sqrt(3)
b = torch.zeros(1, requires_grad=True)
for epoch in range(10):
    residual = X @ w + b - Y
    loss = residual.pow(2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
        w.grad.zero_()
        b.grad.zero_()
