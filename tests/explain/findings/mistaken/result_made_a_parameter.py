"""Result made a parameter."""

import pullback as torch
from pullback import nn


class Hyper(nn.Module):
    def __init__(self, inputs, outputs, size):
        super().__init__()
        self.shape = outputs, inputs
        self.net = nn.Linear(size, outputs * inputs)

    def layer(self, code):
        layer = nn.Linear(self.shape[1], self.shape[0], bias=False)
        layer.weight = nn.Parameter(self.net(code).view(self.shape))  # <-- culprit
        return layer

    def forward(self, x, code):
        return self.layer(code)(x)


torch.manual_seed(0)
hyper = Hyper(4, 3, 5)
optimizer = torch.optim.Adam(hyper.parameters(), lr=1e-3)
for _ in range(2):
    x, code, y = torch.randn(6, 4), torch.randn(5), torch.randint(0, 3, (6,))
    loss = nn.functional.cross_entropy(hyper(x, code), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
