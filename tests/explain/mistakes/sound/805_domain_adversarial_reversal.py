import torch
from torch import nn


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.alpha * g, None

torch.manual_seed(0)
body, task, domain = nn.Linear(5, 8), nn.Linear(8, 3), nn.Linear(8, 2)
optimizer = torch.optim.SGD([*body.parameters(), *task.parameters(), *domain.parameters()], lr=0.01)
for step in range(4):
    x, y, d = torch.randn(6, 5), torch.randint(0, 3, (6,)), torch.randint(0, 2, (6,))
    h = torch.relu(body(x))
    turned = Reverse.apply(h, 0.1 * step)
    loss = nn.functional.cross_entropy(task(h), y) + nn.functional.cross_entropy(domain(turned), d)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
