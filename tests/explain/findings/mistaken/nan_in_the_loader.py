"""Nan in the loader."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
features = torch.randn(12, 3)
features[7, 1] = float("nan")  # <-- culprit
loader = torch.utils.data.DataLoader(
    torch.utils.data.TensorDataset(features, torch.randn(12, 1)), batch_size=4
)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
