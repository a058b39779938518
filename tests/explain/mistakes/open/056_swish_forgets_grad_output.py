import torch
import torch.nn as nn


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return s * (1 + x * (1 - s))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(Swish.apply(x))


torch.manual_seed(0)
block = Block()
x = torch.randn(3, 4, requires_grad=True)
expected, = torch.autograd.grad(block.fc(nn.functional.silu(x)).pow(2).sum(), x)
loss = block(x).pow(2).sum()
loss.backward()
print(x.grad)
