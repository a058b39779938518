import torch
from torch import nn


class Weights(nn.Module):
    def __init__(self, values):
        super().__init__()
        self.values = nn.Parameter(torch.tensor(values))

    def forward(self, x):
        return (x * self.values).sum(1)


torch.manual_seed(0)
model = Weights([1, 0, 2])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(6, 3), torch.randn(6)
loss = nn.functional.mse_loss(model(x), y)
loss.backward()
optimizer.step()
