"""A derivative that is constant has no history, and a loss may hold it all the same."""

import pullback as torch

x = torch.linspace(0, 1, 5, requires_grad=True)
b = torch.ones(1, requires_grad=True)
u = 3 * x + 1
dx = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
loss = ((dx - 1) ** 2 * b).sum()
loss.backward()
