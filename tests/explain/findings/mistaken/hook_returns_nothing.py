"""A hook clips the gradient and does not return it."""

import pullback as torch

torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)


def clip(grad):
    grad = torch.clamp(grad, -0.1, 0.1)  # <-- culprit


net.weight.register_hook(clip)
for _ in range(3):
    loss = ((net(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
