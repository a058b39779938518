import torch


class WeightedSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x0, w):
        ctx.save_for_backward(x0, w)
        return torch.sum(x0 * w)

    @staticmethod
    def backward(ctx, grad_output):
        x0, w = ctx.saved_tensors
        x0, w = x0.detach().requires_grad_(), w.detach().requires_grad_()
        out = torch.sum(x0 * w)
        out.requires_grad_()
        gx, gw = torch.autograd.grad(out, (x0, w), grad_outputs=grad_output, allow_unused=True)
        return gx, gw


torch.manual_seed(0)
data = torch.rand(2, 3, requires_grad=True)
w = torch.rand(2, 3, requires_grad=True)
gt = 5.0
loss = (WeightedSum.apply(data, w) - gt) ** 2
loss.backward()
print(data.grad, w.grad)
