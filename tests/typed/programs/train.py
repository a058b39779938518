"""A training loop."""

from typing import assert_type

import torch
import torch.nn.functional as F
from torch import Tensor, nn, optim


class Net(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.first = nn.Linear(2, hidden)
        self.second = nn.Linear(hidden, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.second(torch.relu(self.first(x)))


torch.manual_seed(0)
model = Net(8)
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
x, y = torch.randn(32, 2), torch.randn(32, 1)
loss = torch.tensor(0.0)
for _ in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
assert_type(loss, Tensor)
assert_type(model.first, nn.Linear)
assert_type(x.shape, torch.Size)
assert_type(x.dtype, torch.dtype)
assert_type(x.device, torch.device)
