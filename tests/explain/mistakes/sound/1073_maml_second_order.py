import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)


def adapted(weights, x, y):
    loss = nn.functional.mse_loss(functional_call(net, weights, x), y)
    grads = torch.autograd.grad(loss, tuple(weights.values()), create_graph=True)
    return {k: w - 0.05 * g for (k, w), g in zip(weights.items(), grads)}


for _ in range(3):
    outer = 0.0
    for _ in range(4):
        amplitude, x = 1 + torch.rand(1), torch.rand(20, 1) * 6 - 3
        y = amplitude * torch.sin(x)
        fast = adapted(dict(net.named_parameters()), x[:10], y[:10])
        outer = outer + nn.functional.mse_loss(functional_call(net, fast, x[10:]), y[10:])
    opt.zero_grad()
    outer.backward()
    opt.step()
