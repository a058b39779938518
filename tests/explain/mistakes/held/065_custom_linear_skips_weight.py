import torch
from torch import nn


class FastLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        return x @ weight.t() + bias

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        return grad_output @ weight, None, grad_output.sum(0)


class Fast(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(b, a) / a ** 0.5)
        self.bias = nn.Parameter(torch.zeros(b))

    def forward(self, x):
        return FastLinear.apply(x, self.weight, self.bias)


torch.manual_seed(0)
layer = Fast(4, 3)
model = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), layer)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(9, 5), torch.randint(0, 3, (9,))
for _ in range(3):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(layer.weight.grad, layer.bias.grad)
