import torch


class ScaledProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * a, grad * b


torch.manual_seed(0)
a = torch.randn(5, requires_grad=True)
b = torch.randn(5, requires_grad=True)
out = ScaledProduct.apply(a, b)
out.sum().backward()
print(a.grad, b)
