import torch
from torch import nn


class Polynomial(nn.Module):
    def __init__(self, degree):
        super().__init__()
        self.coefficients = [nn.Parameter(torch.zeros(1)) for _ in range(degree + 1)]

    def forward(self, x):
        return sum(c * x ** k for k, c in enumerate(self.coefficients))


torch.manual_seed(0)
model = Polynomial(3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.linspace(-1, 1, 20)
loss = (model(x) - torch.sin(x)).pow(2).mean()
loss.backward()
optimizer.step()
