import torch
from torch.autograd import Function


class RoundFunction(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clone()


torch.manual_seed(0)
x = torch.randn(2, 2, requires_grad=True)
x = x.double()
y = RoundFunction.apply(x)
y.backward(torch.ones_like(y))
print(x.grad)
