import torch
from torch import nn
from torch.func import functional_call


class MetaSGD(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.rates = nn.ParameterList(torch.full_like(p, 0.1) for p in net.parameters())

    def adapt(self, x, y):
        weights = dict(self.net.named_parameters())
        loss = nn.functional.mse_loss(functional_call(self.net, weights, x), y)
        grads = torch.autograd.grad(loss, weights.values())
        moved = zip(weights.items(), grads, self.rates)
        return {k: (w - r * g).detach().requires_grad_() for (k, w), g, r in moved}


torch.manual_seed(0)
meta = MetaSGD(nn.Linear(2, 1))
x, y = torch.randn(6, 2), torch.randn(6, 1)
fast = meta.adapt(x, y)
outer = nn.functional.mse_loss(functional_call(meta.net, fast, x), y)
outer.backward()
