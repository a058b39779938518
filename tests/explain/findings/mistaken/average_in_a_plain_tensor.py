"""A moving average is kept in a plain tensor, which a state dict does not hold."""

import pullback as torch
from pullback import nn


class Centred(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.center = torch.zeros(3)  # <-- culprit

    def forward(self, x):
        z = self.linear(x)
        self.center = 0.9 * self.center + 0.1 * z.detach().mean(0)
        return z - self.center


torch.manual_seed(0)
model = Centred()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.rand(4, 3)).square().mean().backward()
    optimizer.step()
state = model.state_dict()
