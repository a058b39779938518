"""A hook may give its argument's name another value to write down what it saw."""

import pullback as torch

torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
norms = []


def note(grad):
    grad = grad.norm()
    norms.append(grad.item())


net.weight.register_hook(note)
for _ in range(3):
    loss = ((net(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
