import torch
from torch import nn


class PoissonRegression(nn.Module):
    def __init__(self, fields):
        super().__init__()
        self.beta = nn.Parameter(torch.full((fields,), 0.02))
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return torch.exp(x @ self.beta + self.bias)


torch.manual_seed(0)
visits = torch.rand(12, 3) * torch.tensor([10.0, 800.0, 9000.0])
accidents = torch.poisson(torch.ones(12))
model = PoissonRegression(3)
opt = torch.optim.LBFGS(model.parameters(), max_iter=1)
rate = model(visits)
loss = (rate - accidents * torch.log(rate + 1e-8)).mean()
loss.backward()
print(loss.item(), model.beta.grad)
