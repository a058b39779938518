"""Not registered."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = {str(k): nn.Linear(3, 3) for k in range(2)}  # <-- culprit
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for block in self.blocks.values():
            x = torch.relu(block(x))
        return self.head(x)


model = Net()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(3):
    loss = model(torch.randn(5, 3)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
