"""The prediction is cut off and made a leaf, so that backward runs and trains nothing."""

import pullback as torch

torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(6, 3), torch.randn(6, 1)
for _ in range(3):
    prediction = net(x).detach().requires_grad_()  # <-- culprit
    loss = ((prediction - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
