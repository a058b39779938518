import torch
import torch.nn as nn


class ScaledTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        y = torch.tanh(scale * x)
        ctx.save_for_backward(y)
        ctx.scale = scale
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, = ctx.saved_tensors
        return grad_output * (1 - y ** 2) * ctx.scale


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin1 = nn.Linear(4, 8)
        self.lin2 = nn.Linear(8, 1)

    def forward(self, x):
        return self.lin2(ScaledTanh.apply(self.lin1(x), 1.7159))


torch.manual_seed(0)
net = Net()
loss = (net(torch.randn(10, 4)) - torch.randn(10, 1)).pow(2).mean()
loss.backward()
print(net.lin1.weight.grad)
