"""Buffer with gradient."""

import pullback as torch
from pullback import nn


class Scaled(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.inner = nn.Linear(size, size)
        self.register_buffer("scale", torch.ones(1, requires_grad=True))  # <-- culprit

    def forward(self, x):
        return self.scale * torch.tanh(self.inner(x))


torch.manual_seed(0)
layer = Scaled(5)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for _ in range(3):
    x = torch.randn(8, 5)
    loss = nn.functional.mse_loss(layer(x), 3 * x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
