import torch
from torch import nn


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return -ctx.strength * grad


torch.manual_seed(0)
features, label, domain = nn.Linear(6, 8), nn.Linear(8, 2), nn.Linear(8, 2)
params = [*features.parameters(), *label.parameters(), *domain.parameters()]
opt = torch.optim.SGD(params, lr=0.1)
z = features(torch.randn(12, 6)).relu()
ce = nn.CrossEntropyLoss()
loss = ce(label(z), torch.randint(0, 2, (12,)))
loss = loss + ce(domain(Reverse.apply(z, 0.3)), torch.randint(0, 2, (12,)))
loss.backward()
opt.step()
