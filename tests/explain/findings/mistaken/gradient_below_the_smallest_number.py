"""The gradient gets so small on its way through sigmoids that float32 holds 0 instead."""

import pullback as torch

torch.manual_seed(0)
layers = torch.nn.ModuleList([torch.nn.Linear(8, 8) for _ in range(60)])
head = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD([*layers.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(4, 8), torch.randn(4, 1)
for _ in range(3):
    hidden = x
    for layer in layers:
        hidden = torch.sigmoid(layer(hidden))  # <-- culprit
    optimizer.zero_grad()
    loss = ((head(hidden) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
