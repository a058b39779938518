"""Through numpy."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.head = nn.Linear(3, 4), nn.Linear(4, 1)

    def forward(self, x):
        hidden = torch.tanh(self.inner(x))
        return self.head(torch.from_numpy(hidden.detach().numpy() * 2))  # <-- culprit


model = Scaled()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    model(torch.randn(5, 3)).square().mean().backward()
    optimizer.step()
