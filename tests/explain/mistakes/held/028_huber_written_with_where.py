import torch
from torch import nn


class RobustLoss(nn.Module):
    def __init__(self, delta):
        super().__init__()
        self.delta = delta

    def forward(self, output, target):
        error = (output - target).abs()
        square = 0.5 * error ** 2 / self.delta
        root = torch.sqrt(error - self.delta) + self.delta / 2
        return torch.where(error > self.delta, root, square).mean()


torch.manual_seed(0)
model = nn.Linear(3, 1)
nn.init.zeros_(model.weight)
nn.init.zeros_(model.bias)
x = torch.randn(4, 3)
y = torch.tensor([[0.5], [1.0], [-3.0], [2.0]])
loss = RobustLoss(1.0)(model(x), y)
loss.backward()
print(loss.item(), model.weight.grad)
