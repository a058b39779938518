import torch
from torch import nn


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * 2 * x ** 2


class Polynomial(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = nn.Linear(1, 4), nn.Linear(4, 1)

    def forward(self, x):
        return self.outer(Cube.apply(self.inner(x)))


torch.manual_seed(0)
model = Polynomial()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.linspace(-1, 1, 16).unsqueeze(1)
for _ in range(2):
    loss = (model(x) - torch.sin(3 * x)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
probe = torch.randn(3, requires_grad=True)
Cube.apply(probe).sum().backward()
print(probe.grad / (3 * probe.detach() ** 2))
