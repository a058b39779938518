import torch
from torch import nn


class Line(nn.Module):
    def __init__(self):
        super().__init__()
        self.slope, self.offset = nn.Parameter(torch.zeros(())), nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return self.slope * x + self.offset


torch.manual_seed(0)
x = torch.linspace(-1, 1, 30)
y = 3 * x - 1 + 0.1 * torch.randn(30)
fit = Line()
optimizer = torch.optim.LBFGS(fit.parameters(), lr=0.1, max_iter=10)


def closure():
    loss = (fit(x) - y).pow(2).mean()
    loss.backward()
    return loss


for _ in range(5):
    optimizer.step(closure)
