import torch
from torch import nn


class PINN(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.first = nn.Linear(1, width)
        self.second = nn.Linear(width, 1)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


def derivative(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


torch.manual_seed(0)
model = PINN()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x = torch.linspace(0, 1, 12).unsqueeze(1).requires_grad_()
for _ in range(2):
    u_xx = derivative(derivative(model(x), x), x)
    loss = (u_xx + torch.sin(x)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
