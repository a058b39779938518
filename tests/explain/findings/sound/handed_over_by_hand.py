"""A graph is cut at a new leaf on purpose: the leaf's gradient is handed on to the first part by hand."""

import pullback as torch

torch.manual_seed(0)
first, second = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for _ in range(5):
    optimizer.zero_grad()
    h = torch.tanh(first(x))
    leaf = torch.tensor(h, requires_grad=True)
    loss = (second(leaf) - y).square().mean()
    loss.backward()
    h.backward(leaf.grad)
    optimizer.step()
