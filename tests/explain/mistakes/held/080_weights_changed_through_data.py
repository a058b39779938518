import torch
from torch import nn


class FastWeights(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.hidden, self.out = nn.Linear(d, d), nn.Linear(d, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.hidden(x)))


def perturb(model, sigma):
    for p in model.parameters():
        p.data.add_(sigma * torch.randn_like(p))


torch.manual_seed(0)
model = FastWeights(4)
x, y = torch.randn(8, 4), torch.randn(8, 1)
loss = nn.functional.mse_loss(model(x), y)
right, = torch.autograd.grad(nn.functional.mse_loss(model(x), y), model.hidden.weight)
perturb(model, 0.5)
loss.backward()
found = model.hidden.weight.grad
print((found - right).abs().max())
